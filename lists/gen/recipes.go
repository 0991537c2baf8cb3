package main

import (
	"strings"

	"github.com/rcpt/rcpt/lists/internal/domainname"
	"github.com/rcpt/rcpt/lists/internal/listfile"
)

// lists makes the lists out of the inputs.
func (in *inputs) lists() []listfile.File {
	disposable := in.disposable()
	return append(in.handLists(),
		in.fromPackages("disposable", "domains of services that hand out mailboxes to throw away, with their sub-domains", disposable),
		in.fromPackages("free", "domains that give mailboxes to everyone; not their sub-domains", in.free(disposable)),
		in.fromPackages("role", "local-parts of mailboxes that belong to a function, not to a person", in.role()),
	)
}

func (in *inputs) handLists() []listfile.File {
	return []listfile.File{
		in.byHand("spamtrap", "local-parts by which a mailbox calls itself a spam trap, also as a token of a longer one; "+
			"working traps are secret, and none are listed", in.hand.spamTrap),
		in.byHand("allow", "domains that are not disposable, with their sub-domains", in.hand.allow),
		in.byHand("shared-hosts", "mail exchangers that serve all kinds of domains, with all names below them", in.hand.sharedHosts),
	}
}

// disposable is all that the packages list, less what is no domain, ICANN's suffixes, and what is allowed.
func (in *inputs) disposable() entries {
	allowed := names(in.hand.allow)
	kept := make(entries)
	for name, letters := range normalized(in.raw["disposable"]) {
		if !covered(allowed, name) {
			kept[name] = letters
		}
	}
	return kept
}

// free is what every package with providers lists, less disposable domains, public suffixes, schools, and what the hand files drop; and what
// they add. One package's word is not enough: each alone lists hundreds of names that are nothing of the kind.
func (in *inputs) free(disposable entries) entries {
	throwaway := normalized(in.raw["not-free"])
	dropped := names(in.hand.freeDrop)
	kept := make(entries)
	for name, letters := range normalized(in.raw["free"]) {
		if len(letters) == in.packagesWith("free") && !domainname.IsSuffix(name) && !isSchool(name) &&
			throwaway[name] == "" && dropped[name] == "" && !covered(disposable, name) {
			kept[name] = letters
		}
	}
	for _, e := range in.hand.freeAdd {
		kept.add(e.Name, handLetter)
	}
	return kept
}

// role is the package's words, less numbers and what the hand files drop; and what they add.
func (in *inputs) role() entries {
	dropped := names(in.hand.roleDrop)
	kept := make(entries)
	for word, letters := range in.raw["role"] {
		word = strings.ToLower(strings.TrimSpace(word))
		if strings.Trim(word, "0123456789") != "" && dropped[word] == "" {
			kept[word] = letters
		}
	}
	for _, e := range in.hand.roleAdd {
		kept.add(e.Name, handLetter)
	}
	return kept
}

// packagesWith counts the packages that have a file of this content.
func (in *inputs) packagesWith(holds string) int {
	n := 0
	for _, p := range in.pins.Packages {
		for _, f := range p.Files {
			if f.Holds == holds {
				n++
			}
		}
	}
	return n
}

// normalized brings domains into the form of lists and leaves out what is none. Names that become the same unite their sources.
func normalized(raw entries) entries {
	clean := make(entries, len(raw))
	for name, letters := range raw {
		domain, err := domainname.Normalize(name)
		if err != nil || domainname.IsICANNSuffix(domain) {
			continue
		}
		for _, l := range letters {
			clean.add(domain, string(l))
		}
	}
	return clean
}

// covered reports whether a list that covers sub-domains has the name or a parent of it.
func covered(list entries, name string) bool {
	for ok := true; ok; name, ok = domainname.Parent(name) {
		if list[name] != "" {
			return true
		}
	}
	return false
}

// isSchool reports a name under a suffix of schools and universities: their mailboxes are not for everyone.
func isSchool(name string) bool {
	for _, label := range strings.Split(name, ".")[1:] {
		if label == "edu" || label == "ac" {
			return true
		}
	}
	return false
}

func names(list []listfile.Entry) entries {
	set := make(entries, len(list))
	for _, e := range list {
		set[e.Name] = handLetter
	}
	return set
}
