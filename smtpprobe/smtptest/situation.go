package smtptest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Situation is a mail host in plain text, what it is an example of, and what is
// asked about its mailboxes.
//
// Experimental: it may change in any minor version.
type Situation struct {
	Name  string // "tls-closes"
	About string // "agrees and hangs up"
	Asked []Question
	Rest  []string // the lines about something else than the host

	common, host []string // the lines about all hosts, and about this one
}

// Question is an address of a [Situation], and what may come of it.
//
// Experimental: it may change in any minor version.
type Question struct {
	Address string   // or a local-part
	Options []string // what else stands in front of the arrow
	Allowed []string // what stands behind it: verdicts and reasons
	About   string   // the remark at the end
}

// ReadSituations reads text of this form:
//
//	# a remark
//	a line about all hosts
//
//	== NAME: what it shows
//	a line about the host, as Read has them
//	? ADDRESS [OPTION...] -> ALLOWED... [# remark]
//
// Words that are not those of [Read] have to be among the others; their lines
// are the Rest.
//
// Experimental: it may change in any minor version.
func ReadSituations(text string, others ...string) ([]Situation, error) {
	var all []Situation
	var common Situation
	for number, line := range strings.Split(text, "\n") {
		in := &common
		if len(all) > 0 {
			in = &all[len(all)-1]
		}
		var err error
		switch head, isHead := strings.CutPrefix(line, "== "); {
		case isHead:
			s := Situation{Rest: slices.Clone(common.Rest), common: common.host}
			s.Name, s.About, _ = strings.Cut(head, ": ")
			all = append(all, s)
		case line == "" || line[0] == '#':
		default:
			err = in.read(line, others)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
	}
	for _, s := range all {
		if _, err := s.make(); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return all, nil
}

func (s *Situation) read(line string, others []string) error {
	if question, ok := strings.CutPrefix(line, "? "); ok {
		return s.ask(question)
	}
	if word, _, _ := strings.Cut(line, " "); slices.Contains(others, word) {
		s.Rest = append(s.Rest, line)
	} else {
		s.host = append(s.host, line)
	}
	return nil
}

func (s *Situation) ask(text string) error {
	put, allowed, ok := strings.Cut(text, " -> ")
	words := strings.Fields(put)
	if !ok || len(words) == 0 {
		return errors.New(`a question needs " -> " and what is allowed`)
	}
	allowed, about, _ := strings.Cut(allowed, " # ")
	s.Asked = append(s.Asked, Question{words[0], words[1:], strings.Fields(allowed), about})
	return nil
}

// Host makes the host, a new one each time.
func (s Situation) Host() Handler {
	h, err := s.make()
	if err != nil {
		panic("smtptest: " + err.Error()) // ReadSituations has tried it
	}
	return h
}

// make makes the host. What is common to all is nothing to a script.
func (s Situation) make() (Handler, error) {
	if isScript(s.host) {
		return readHost(s.host)
	}
	return readHost(slices.Concat(s.common, s.host))
}
