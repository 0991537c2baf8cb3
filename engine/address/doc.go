// Package address reads one mailbox as SMTP knows it and brings it into the
// form that goes into RCPT TO.
//
// It follows RFC 5321 §4.1.2 (Mailbox) with the limits of §4.5.3.1, RFC 6531
// §3.3 (UTF-8 in local-parts) and, for domains, UTS #46 non-transitional
// processing with every check on (hyphens, joiners, RFC 5893 bidi rule, STD3
// ASCII rules), so that a domain may be given as U-labels, A-labels, decomposed
// or full-width text and always comes out as lower-case A-labels.
//
// The local-part belongs to the host that delivers (RFC 5321 §2.3.11): its
// letters are never folded, mapped or normalised, only needless quoting is
// dropped. Three things that the grammar admits are refused, each with its own
// [Reason]:
//
//   - address literals such as [192.0.2.1], because no domain is asked about;
//   - domains without a dot and domains whose last label is a number (RFC 5321
//     §2.3.5, RFC 7085, RFC 3696 §2) or has symbols (RFC 6912 §4.2);
//   - characters that cannot be seen or that spoil what is seen: C1 controls,
//     bidi controls, invisible characters and spaces beyond ASCII,
//     noncharacters, U+FFFC and U+FFFD. Joiners and variation selectors stay
//     where a script or an emoji needs them.
//
// Living addresses break some of these rules. [Read] refuses only what can be
// put to no mail host as one address, and notes the rest in
// [Address.Irregular]: a local-part of more than 64 octets, brackets and
// backslashes outside of quotes, the dots of dots.txt, underscores in a domain,
// hyphens at the ends of labels, a dot at its end, and labels that IDNA refuses
// and the DNS can carry. What it returns is in the form that is sent, quoted
// where the grammar wants it.
//
// [Address.Canonical] finds the spellings of one mailbox, by the public rules
// of its provider in mailboxes.txt. Nothing is ever sent to what it returns.
//
// What it does not promise: that the domain exists, that look-alike letters are
// found out, or that a domain with characters younger than the Unicode tables
// of golang.org/x/net/idna is understood. That package also lets a zero-width
// non-joiner pass when only the letter before it joins. Header syntax (display
// names, comments, folding white space, angle brackets) is recognised by
// [Parse] and [Read] to give a helpful error, and removed by [Clean], which
// finds the mailbox that a person means.
//
// All functions are pure, safe for concurrent use, and bounded: an input longer
// than a few kilobytes is refused by its length.
package address
