package replies

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/internal/sys/yamlfile"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// ruleFile is the form of the rule data: see the head of rules.yaml. The names
// in rules.json are those of the fields.
type ruleFile struct {
	Sets  map[string][]string `yaml:"sets"`
	Rules []ruleEntry         `yaml:"rules"`
}

type ruleEntry struct {
	ID       string        `yaml:"id"`
	Class    Class         `yaml:"class"`
	Phase    []smtp.Phase  `yaml:"phase"`
	Code     []string      `yaml:"code"`
	Enhanced []string      `yaml:"enhanced"`
	Host     []string      `yaml:"host"`
	Text     []string      `yaml:"text"`
	Unless   []string      `yaml:"unless"`
	Wait     time.Duration `yaml:"wait"`
	Lang     string        `yaml:"lang"`
	Sample   []string      `yaml:"sample"`
	Source   string        `yaml:"source"`
}

// rule is a rule of a [Classifier].
type rule struct {
	id       string
	class    Class
	language string        // of its phrases, as an ISO 639-1 code; empty: English or none
	samples  []string      // replies that it reads
	source   string        // where such replies are documented
	wait     time.Duration // until another try, where the reply says no time

	phases   []smtp.Phase // empty: every phase
	codes    []string     // "550", "55x", "5xx"; empty: every code
	enhanced []string     // "5.1.1", "5.1.x"; empty: any or none
	hosts    []string     // suffixes of mail host names; empty: every host
	text     []int        // phrases of which one must be there; empty: any text
	unless   []int        // phrases of which none may be there
}

// reads reports whether the rule is about codes that begin with a digit. A 2yz
// code must be named.
func (r *rule) reads(digit byte) bool {
	if len(r.codes) == 0 {
		return digit >= '3'
	}
	return slices.ContainsFunc(r.codes, func(code string) bool { return code[0] == digit || code[0] == 'x' })
}

// fits reports whether the rule matches the reply. The codes are those of the
// reply, as text.
func (r *rule) fits(q Input, code, enhanced string, said phraseSet) bool {
	return (len(r.phases) == 0 || slices.Contains(r.phases, q.Phase)) &&
		fitsAny(r.codes, code) &&
		fitsAny(r.enhanced, enhanced) &&
		hasSuffix(r.hosts, q.Host) &&
		(len(r.text) == 0 || anySaid(r.text, said)) &&
		!anySaid(r.unless, said)
}

// enhancedInClass returns the enhanced status code, or nothing if its class
// disagrees with the reply code. Then one of both is wrong, and the reply code
// is the one that every client acts on.
func enhancedInClass(r smtp.Reply) string {
	if r.Enhanced == "" || int(r.Enhanced[0]-'0') != r.Code/100 {
		return ""
	}
	return r.Enhanced
}

func codeText(code int) string {
	return string([]byte{byte('0' + code/100%10), byte('0' + code/10%10), byte('0' + code%10)})
}

// noCode is the pattern for a reply without an enhanced status code.
const noCode = "none"

// fitsAny reports whether text matches one of the patterns, in which "x" stands
// for one digit or, at the end, for any number.
func fitsAny(patterns []string, text string) bool {
	if len(patterns) == 0 {
		return true
	}
	for _, p := range patterns {
		if fitsCode(p, text) {
			return true
		}
	}
	return false
}

func fitsCode(pattern, text string) bool {
	if text == "" {
		return pattern == noCode
	}
	if stem, ok := strings.CutSuffix(pattern, ".x"); ok { // an enhanced status code's open end
		return strings.HasPrefix(text, stem+".")
	}
	if len(pattern) != len(text) {
		return false
	}
	for i := range len(pattern) {
		if pattern[i] != 'x' && pattern[i] != text[i] {
			return false
		}
	}
	return true
}

func hasSuffix(suffixes []string, host string) bool {
	if len(suffixes) == 0 {
		return true
	}
	for _, suffix := range suffixes {
		if host == suffix || strings.HasSuffix(host, "."+suffix) {
			return true
		}
	}
	return false
}

func anySaid(phrases []int, said phraseSet) bool {
	for _, n := range phrases {
		if said.has(n) {
			return true
		}
	}
	return false
}

// ruleSet is rules in the order in which they are tried.
type ruleSet struct {
	ordered []rule
	byDigit [10][]int // places of those that are about codes that begin so
	ids     map[string]bool
	phrases *phraseIndex // of all rules
}

func newRuleSet(parser phraseParser) *ruleSet {
	return &ruleSet{ids: map[string]bool{}, phrases: &phraseIndex{vocabulary: parser.vocabulary}}
}

// match returns the place of the first rule that fits, or -1. The words are
// those of q.
func (s *ruleSet) match(q Input, words []word) int {
	said, code, enhanced := s.phrases.find(words), codeText(q.Reply.Code), enhancedInClass(q.Reply)
	for _, i := range s.byDigit[code[0]-'0'] {
		if s.ordered[i].fits(q, code, enhanced, said) {
			return i
		}
	}
	return -1
}

// readRules returns the rules of files, tried in order, and then the embedded
// ones. A file may use the sets of the others.
func readRules(files ...RuleFile) (*ruleSet, error) {
	entries := make([]ruleFile, len(files)+1)
	for i, file := range files {
		if err := yamlfile.Load(file.Data, &entries[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name, err)
		}
	}
	if err := json.Unmarshal(embeddedRules, &entries[len(files)]); err != nil {
		return nil, err
	}
	files = append(slices.Clip(files), RuleFile{Name: "rules.yaml"})
	parser := phraseParser{sets: map[string][]string{}, vocabulary: newVocabulary()}
	for i, file := range files {
		for name, words := range entries[i].Sets {
			if _, taken := parser.sets[name]; taken {
				return nil, fmt.Errorf("%s: set %q is defined in another file", file.Name, name)
			}
			parser.sets[name] = words
		}
	}
	all := newRuleSet(parser)
	for i, file := range files {
		for _, entry := range entries[i].Rules {
			err := all.add(entry, parser)
			if len(entry.Text) == 0 && len(entry.Enhanced) == 0 {
				err = cmp.Or(err, errNoText)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: rule %q: %w", file.Name, entry.ID, err)
			}
		}
	}
	return all, nil
}

var errNoText = errors.New("a rule needs text or enhanced")

var errDuplicate = errors.New("every rule needs an id of its own: " +
	"there is one of this name in this file or among the embedded rules")

func (s *ruleSet) add(entry ruleEntry, parser phraseParser) error {
	if s.ids[entry.ID] || entry.ID == "" {
		return errDuplicate
	}
	r, err := s.compile(entry, parser)
	if err != nil {
		return err
	}
	s.ids[entry.ID] = true
	for digit := range s.byDigit {
		if r.reads(byte('0' + digit)) {
			s.byDigit[digit] = append(s.byDigit[digit], len(s.ordered))
		}
	}
	s.ordered = append(s.ordered, r)
	return nil
}

// phases are those that a rule may name.
var phases = []smtp.Phase{
	smtp.PhaseGreeting, smtp.PhaseEHLO, smtp.PhaseSTARTTLS, smtp.PhaseMAIL, smtp.PhaseRCPT, smtp.PhaseDATA,
}

// check refuses an entry that would fit everything or nothing.
func (e ruleEntry) check() error {
	if len(e.Text) == 0 && len(e.Enhanced) == 0 && len(e.Host) == 0 {
		return errNoText // it would fit every reply
	}
	for _, phase := range e.Phase {
		if !slices.Contains(phases, phase) {
			return fmt.Errorf("phase %q is unknown: use greeting, ehlo, starttls, mail, rcpt or data", phase)
		}
	}
	for _, code := range e.Code {
		if len(code) != len("550") || strings.Trim(code, "0123456789x") != "" {
			return fmt.Errorf("code %q is no reply code such as 550 or 55x", code)
		}
	}
	for _, enhanced := range e.Enhanced {
		if enhanced != noCode && strings.Count(enhanced, ".") != 2 {
			return fmt.Errorf("enhanced %q is no enhanced status code such as 5.1.1 or 5.1.x, nor %q", enhanced, noCode)
		}
	}
	for _, host := range e.Host {
		if host != strings.ToLower(strings.Trim(host, ".")) || host == "" {
			return fmt.Errorf("host %q is no suffix of a host name in lower case", host)
		}
	}
	return nil
}

func (s *ruleSet) compile(entry ruleEntry, parser phraseParser) (rule, error) {
	phases, codes, ok := entry.Class.scope()
	if !ok {
		return rule{}, fmt.Errorf("class %q is unknown", entry.Class)
	}
	if err := entry.check(); err != nil {
		return rule{}, err
	}
	r := rule{
		id: entry.ID, class: entry.Class, language: entry.Lang, samples: entry.Sample, source: entry.Source,
		wait: entry.Wait, phases: entry.Phase, codes: entry.Code, enhanced: entry.Enhanced, hosts: entry.Host,
	}
	if len(r.phases) == 0 {
		r.phases = phases
	}
	if len(r.codes) == 0 {
		r.codes = codes
	}
	var err error
	if r.text, err = s.index(parser, entry.Text); err != nil {
		return rule{}, err
	}
	r.unless, err = s.index(parser, entry.Unless)
	return r, err
}

func (s *ruleSet) index(parser phraseParser, phrases []string) ([]int, error) {
	var numbers []int
	for _, text := range phrases {
		p, err := parser.parse(text)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, s.phrases.add(p))
	}
	return numbers, nil
}
