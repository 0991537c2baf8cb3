//go:build e2e && linux

package e2e

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// situation is a configuration of a server and the questions put to it, from a
// table in testdata/situations:
//
//	== slug: what it shows
//	configuration
//	? local-part[@subdomain] [from=ADDRESS] [helo=NAME] [ip=ADDRESS] [timeout=DURATION] [once] [unproven] -> what is allowed
//
// "once" is for a host that remembers the question, so that it is not put a
// second time, and for a provider that rcpt pauses after such answers, which
// would settle the other questions of the one process. "unproven" is for a
// refusal behind which the host accepts nobody: it has no postmaster and no
// other mailbox, or it ends the session; or that is worded otherwise than the
// refusal before it, of which postmaster alone is no proof. In one process with
// other questions for that host, nothing then shows that the host has not
// turned against all recipients, so unknown, rate_limited is allowed there.
//
// What is allowed are results and reasons. They were written down before the
// question was put, from the RFCs and the servers' documentation. Each
// situation has a domain and an address of its own.
type situation struct {
	server string // the table: postfix, exim, opensmtpd, dns, scripted
	slug   string
	config []string
	asked  []asked
	ip     netip.Addr
}

// asked is a question of a situation.
type asked struct {
	question
	once     bool
	unproven bool
	allowed  []string
}

// zoneOf is the parent of the domains of a table's situations, and the network
// of their addresses.
var zoneOf = map[string]struct{ parent, network string }{
	"postfix":   {"pfs.example", "127.2.0.0"},
	"exim":      {"exs.example", "127.3.0.0"},
	"opensmtpd": {"bss.example", "127.4.0.0"},
	"scripted":  {"scrs.example", "127.5.0.0"},
	"dns":       {"dnss.example", "127.6.0.0"},
}

func (s *situation) domain() string { return s.slug + "." + zoneOf[s.server].parent }

// host is the name of the situation's mail host. The servers' logs have its
// first label. Each is a registrable domain of its own, so that each host has a
// provider of its own: those of one provider share its limits and its pauses.
func (s *situation) host() string {
	for _, line := range s.config {
		if name, ok := strings.CutPrefix(line, "mx "); ok && s.server == "scripted" {
			return name
		}
	}
	return "s-" + s.slug + "-" + s.server + ".example"
}

// name is the slug in a form that configuration files take for the name of
// something.
func (s *situation) name() string { return "s_" + strings.ReplaceAll(s.slug, "-", "_") }

// fill replaces DOMAIN, HOST, ADDRESS and SLUG.
func (s *situation) fill(line string) string {
	names := strings.NewReplacer("DOMAIN", s.domain(), "HOST", s.host(), "ADDRESS", s.ip.String(), "SLUG", s.name())
	return names.Replace(line)
}

// situations are all tables, by server.
type situations map[string][]*situation

func readSituations() (situations, error) {
	all := situations{}
	for server := range zoneOf {
		text, err := os.ReadFile(fileOf(server))
		if err != nil {
			return nil, err
		}
		if all[server], err = parseSituations(server, string(text)); err != nil {
			return nil, fmt.Errorf("situations of %s: %w", server, err)
		}
	}
	return all, nil
}

// fileOf is the table of a server. That of the scripted hosts is shared with
// the tests of package engine.
func fileOf(server string) string {
	if server == "scripted" {
		return filepath.Join("..", "..", "testdata", "worlds", "services.txt")
	}
	return filepath.Join("testdata", "situations", server+".txt")
}

func parseSituations(server, text string) ([]*situation, error) {
	var list []*situation
	ip := netip.MustParseAddr(zoneOf[server].network)
	for number, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		if head, ok := strings.CutPrefix(line, "== "); ok {
			slug, _, _ := strings.Cut(head, ":")
			ip = ip.Next()
			list = append(list, &situation{server: server, slug: slug, ip: ip})
			continue
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("line %d: before the first situation", number+1)
		}
		if err := list[len(list)-1].add(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
	}
	return list, nil
}

func (s *situation) add(line string) error {
	text, ok := strings.CutPrefix(line, "? ")
	if !ok {
		s.config = append(s.config, s.fill(line))
		return nil
	}
	put, allowed, ok := strings.Cut(text, " -> ")
	if !ok {
		return errors.New(`a question needs " -> " and what is allowed`)
	}
	words := strings.Fields(put)
	q := asked{question: question{address: s.address(words[0])}, allowed: strings.Fields(allowed)}
	for _, option := range words[1:] {
		if err := q.set(option); err != nil {
			return err
		}
	}
	s.asked = append(s.asked, q)
	return nil
}

// set sets what an option of a question says.
func (a *asked) set(option string) (err error) {
	key, value, _ := strings.Cut(option, "=")
	switch key {
	case "once":
		a.once = true
	case "unproven":
		a.unproven = true
	case "from":
		a.mailFrom = value
	case "helo":
		a.helo = value
	case "ip":
		a.sourceIP = value
	case "timeout":
		a.timeout, err = time.ParseDuration(value)
	default:
		return fmt.Errorf("unknown option %q", key)
	}
	return err
}

// address completes an address: a domain that does not end in the world's
// top-level domain is below the situation's.
func (s *situation) address(text string) string {
	local, sub, ok := strings.Cut(text, "@")
	switch {
	case !ok:
		return local + "@" + s.domain()
	case strings.HasSuffix(strings.ToLower(sub), ".example"):
		return text
	}
	return local + "@" + sub + "." + s.domain()
}
