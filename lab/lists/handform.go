package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rcpt/rcpt/internal/listdata/domainname"
)

// files are the forms of all hand files.
func (h *hand) files() []handFile {
	return []handFile{
		{"allow.txt", &h.allow, []check{isDomain, isText}},
		{"disposable-add.txt", &h.disposableAdd, []check{isDomain, isText}},
		{"free-subdomain.txt", &h.freeSubdomain, []check{isDomain, isText}},
		{"relay.txt", &h.relay, []check{isDomain, isWord, isText}},
		{"disposable-hosts.txt", &h.disposableHosts, []check{isDomain, isText, isDated}},
		{"shared-hosts.txt", &h.sharedHosts, []check{isDomain, isText}},
		{"parked-hosts.txt", &h.parkedHosts, []check{isDomain, isText}},
		{"free-add.txt", &h.freeAdd, []check{isDomain, isText}},
		{"free-drop.txt", &h.freeDrop, []check{isDomain, isText}},
		{"role-add.txt", &h.roleAdd, []check{isWord, isWord, isText}},
		{"role-drop.txt", &h.roleDrop, []check{isWord, isText}},
		{"role-qualifiers.txt", &h.roleQualifiers, []check{isWord, isText}},
		{"spamtrap.txt", &h.spamtrap, []check{isTrap, isStrength, isText}},
		{"typo-targets.txt", &h.typoTargets, []check{isDomain, isWeight, areHosts}},
		{"typo-exempt.txt", &h.typoExempt, []check{isDomain, isText}},
	}
}

// check tells what is wrong with a column.
type check func(column string) error

func isText(column string) error {
	if column == "" || strings.TrimSpace(column) != column || !utf8.ValidString(column) {
		return fmt.Errorf("%q is empty, has space around it, or is not UTF-8", column)
	}
	return nil
}

func isDomain(column string) error {
	name, err := domainname.Normalize(column)
	switch {
	case err != nil:
		return err
	case name != column:
		return fmt.Errorf("%q is written %q in lists", column, name)
	case domainname.IsICANNSuffix(name):
		return fmt.Errorf("%q is a public suffix", column)
	}
	return nil
}

func isWord(column string) error {
	strange := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '@' || r == '+' }
	if column == "" || strings.ContainsFunc(column, strange) || column != fold(column) {
		return fmt.Errorf("%q is not a word of a local-part, in lower case", column)
	}
	return nil
}

func isTrap(column string) error {
	local, domain, isAddress := strings.Cut(column, "@")
	switch {
	case isAddress:
		if err := isWord(local); err != nil {
			return err
		}
		return isDomain(domain)
	case namesDomain(column):
		return isDomain(column)
	}
	return isWord(column)
}

// namesDomain tells domains from words that have a dot: a domain ends in a
// top-level domain that exists.
func namesDomain(name string) bool {
	dot := strings.LastIndexByte(name, '.')
	return dot > 0 && domainname.IsICANNSuffix(name[dot+1:])
}

func isStrength(column string) error {
	if column != strengthStrong && column != strengthWeak {
		return fmt.Errorf("%q is neither %s nor %s", column, strengthStrong, strengthWeak)
	}
	return nil
}

func isDated(column string) error {
	date, source, _ := strings.Cut(column, " ")
	if _, err := time.Parse(time.DateOnly, date); err != nil || source == "" {
		return fmt.Errorf("%q is not a date and a source", column)
	}
	return nil
}

func isWeight(column string) error {
	if n, err := strconv.Atoi(column); err != nil || n <= 0 {
		return fmt.Errorf("%q is not a weight", column)
	}
	return nil
}

func areHosts(column string) error {
	if err := isText(column); err != nil {
		return err
	}
	for host := range strings.SplitSeq(column, " ") {
		if err := isDomain(host); err != nil {
			return err
		}
	}
	return nil
}
