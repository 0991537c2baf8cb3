package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
)

// limit is a limit of --fail-above: how many addresses may have a result, or be
// of a group.
type limit struct {
	key   string
	most  float64
	share bool // most is a share of the addresses, in percent
}

func (l *limit) UnmarshalText(text []byte) error {
	key, most, found := strings.Cut(string(text), "=")
	if !found {
		return fmt.Errorf("%q has no limit: write it as in undeliverable=2%% or bad=100", text)
	}
	if all := resultsAndGroups(); !slices.Contains(all, key) {
		return fmt.Errorf("%q is not a result: use one of %s", key, strings.Join(all, ", "))
	}
	number, isShare := strings.CutSuffix(most, "%")
	value, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(value >= 0) || isShare && value > 100 || !isShare && value != math.Trunc(value) {
		return fmt.Errorf("%q is not a limit: use a share such as 2%%, or a whole number", most)
	}
	*l = limit{key, value, isShare}
	return nil
}

func (l limit) String() string {
	if l.share {
		return strconv.FormatFloat(l.most, 'f', -1, 64) + "%"
	}
	return humanize.Comma(int64(l.most))
}

// limitError says which limits a list has passed.
type limitError []string

func (e limitError) Error() string { return strings.Join(e, "; ") }

// checkLimits fails if a list has passed a limit.
func checkLimits(limits []limit, s bulkReport) error {
	var passed limitError
	for _, l := range limits {
		if text := l.passed(s); text != "" {
			passed = append(passed, text)
		}
	}
	if passed == nil {
		return nil
	}
	return passed
}

// passed says by how much a list has passed the limit; empty: it has not.
func (l limit) passed(s bulkReport) string {
	n, of, unit := l.count(s)
	if !l.share {
		over := n - int64(l.most)
		if over <= 0 {
			return ""
		}
		return fmt.Sprintf("--fail-above: %s: %s, %s more than the limit of %s",
			l.key, unit.count(n), humanize.Comma(over), l)
	}
	over := percent(n, of) - l.most
	if over <= 0 {
		return ""
	}
	return fmt.Sprintf("--fail-above: %s: %s of %s, which is %.2f%%: %.2f more than the limit of %s",
		l.key, humanize.Comma(n), unit.count(of), percent(n, of), over, l)
}

// count returns how many addresses the limit is about, of how many; distinct
// ones. Texts that are no address are counted by rows.
func (l limit) count(s bulkReport) (n, of int64, counted unit) {
	if l.key == string(bulk.GroupNone) {
		return s.rows[bulk.GroupNone], s.allRows(), rowUnit
	}
	if slices.Contains(bulk.Groups(), bulk.Group(l.key)) {
		return s.Groups[bulk.Group(l.key)].Addresses, s.AllAddresses(), addressUnit
	}
	return s.Addresses[rcpt.Verdict(l.key)], s.AllAddresses(), addressUnit
}
