package lists

import (
	_ "embed" // the data files
	"fmt"

	"github.com/rcpt/rcpt/lists/internal/listfile"
)

// Strings, not an embed.FS: the lists are then searched in the binary's read-only pages and cost no heap.
var (
	//go:embed data/role.txt
	roleText string
	//go:embed data/free.txt
	freeText string
	//go:embed data/disposable.txt
	disposableText string
	//go:embed data/spamtrap.txt
	spamTrapText string
	//go:embed data/allow.txt
	allowText string
	//go:embed data/shared-hosts.txt
	sharedHostsText string
)

// embed puts the embedded lists behind the user's.
func (l *Lists) embed() error {
	for _, e := range []struct {
		kind Kind
		text string
	}{
		{Role, roleText}, {Free, freeText}, {Disposable, disposableText}, {SpamTrap, spamTrapText}, {Allow, allowText},
	} {
		file, err := listfile.Parse(e.text)
		if err != nil {
			return fmt.Errorf("embedded %s list: %w", e.kind, err)
		}
		l.sets[e.kind] = append(l.sets[e.kind], embeddedSet(e.kind, file))
		l.info = append(l.info, infoOf(e.kind, file))
	}
	shared, err := listfile.Parse(sharedHostsText)
	if err != nil {
		return fmt.Errorf("embedded list of shared hosts: %w", err)
	}
	l.shared = shared.Table
	return nil
}

func embeddedSet(kind Kind, file listfile.File) set {
	s := set{origin: file.Origin, embedded: true}
	switch kind {
	case Role, SpamTrap:
		s.words = file.Table
	case Allow:
		s.domains, s.covers = file.Table, Disposable
	default:
		s.domains = file.Table
	}
	return s
}

func infoOf(kind Kind, file listfile.File) Info {
	return Info{Kind: kind, Count: file.Count, Source: file.Origins(), License: file.License, Date: file.Date}
}
