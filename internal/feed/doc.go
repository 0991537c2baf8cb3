// Package feed decides which address of a list is verified next, how many are
// in progress, and when one is asked about again. It is a value: it is told
// what has happened and says what is to be done. It knows no goroutine, lock,
// channel, context or clock, so that the feeding of a list can be simulated
// together with what it feeds. Package bulk does what it says.
//
// These are its rules. Each is one function or a few, which name it.
//
// # 1. Which address is next
//
//  1. The addresses of a domain go in the order in which they came.
//  2. The first address of a domain goes alone, as its scout, because the
//     others would only wait for the DNS with it. Once the mail hosts of the
//     domain are found, it has its turn before those that wait for their scout:
//     so its addresses come along with the scout. A domain with an address that
//     had an answer before needs no scout.
//  3. A domain is small if no more than four of its addresses are queued and in
//     progress. The others are large. Those with more addresses, by powers of
//     two, come first, because their hosts take longest. Domains of one size
//     take turns: of fifty addresses, as many as a mail host accepts in one
//     transaction, or of four, if they are small.
//  4. Large domains together have no more than three quarters of the addresses
//     in progress while small ones wait.
//  5. While more of the list is read and large domains can use the room, a
//     small one waits for five seconds: more of its addresses may follow, and
//     if they came one by one, each would need a session.
//  6. Of one domain, no more than so many addresses are in progress.
//  7. Addresses of a domain that go one after the other are a batch, of at most
//     fifty. They are verified together.
//
// # 2. How many are in progress
//
//  1. As many as the caller allows, and beside them those that wait for a
//     session with their mail host, or share the transaction of another, up to
//     a limit. What a busy provider may take of it is a rule of those who ask
//     (rule 6.3 of package smtpprobe/internal/schedule).
//
// # 3. What is asked again, and when
//
//  1. An address with a temporary answer is asked about again when its mail
//     host wants that, but not before a wait that grows with the answers, as
//     RFC 5321 §4.5.4.1 wants and greylisting (RFC 6647) allows, and not later
//     than so long after the first answer. A last try comes at the end of that
//     time, or a tenth of it late.
//  2. One that found its mail host busy is tried again after a second, then
//     after twice as long and so on, for ten minutes at least.
//  3. One that was held back, because its provider is asked as much as it may
//     be, comes again when that may be over. Nobody was asked, so this has no
//     end, but for that of the list.
//  4. One that could not be verified is tried three times.
//  5. What is asked again of one domain comes together, on a grid of instants
//     that are a tenth of the wait apart. Each domain has a grid of its own, so
//     that not all come together.
package feed
