package list

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/sys/yamlfile"
	flags "github.com/rcpt/rcpt/lists"
)

// Service is another verification service whose results are read from the
// columns that it adds to a list. The head of services.yaml describes its
// fields.
type Service struct {
	Name    string
	Source  string
	Date    string
	Layouts []struct {
		Result, Detail string
		With           []string
	}
	Columns map[string][]string
	Words   map[string]string
}

//go:embed services.yaml
var servicesFile []byte

// Services returns the services whose results are read, as services.yaml has
// them.
var Services = sync.OnceValue(func() []Service {
	var file struct{ Services []Service }
	if err := yamlfile.Load(servicesFile, &file); err != nil {
		panic("list: services.yaml: " + err.Error())
	}
	return file.Services
})

// plainWord is the form of a result, and of its detail, in which words are
// compared.
func plainWord(result, detail string) string {
	word := plainName(result)
	if detail := plainName(detail); detail != "" {
		word += "/" + detail
	}
	return word
}

// serviceReader reads the results of another service from the cells of a row.
type serviceReader struct {
	name           string
	result, detail int // columns, from 0; detail is -1 if there is none
	columns        map[string][]int
	words          map[string]string // by plainWord
}

// serviceOf finds the service whose columns a list has: some layout of it is
// there, and most results of the first rows are words of the service.
func serviceOf(names []string, rows [][]string) *serviceReader {
	plain := make([]string, len(names))
	for i, name := range names {
		plain[i] = plainName(name)
	}
	for _, service := range Services() {
		for i := range service.Layouts {
			if f := service.layout(i, plain); f != nil && f.knowsMost(rows) {
				return f
			}
		}
	}
	return nil
}

// layout returns the reader of a layout, or nil if a name of it is missing.
func (s *Service) layout(number int, plain []string) *serviceReader {
	layout := s.Layouts[number]
	f := &serviceReader{name: s.Name, detail: -1, columns: map[string][]int{}, words: map[string]string{}}
	at := func(name string) int { return slices.Index(plain, plainName(name)) }
	if f.result = at(layout.Result); f.result < 0 {
		return nil
	}
	if layout.Detail != "" {
		if f.detail = at(layout.Detail); f.detail < 0 {
			return nil
		}
	}
	if slices.ContainsFunc(layout.With, func(name string) bool { return at(name) < 0 }) {
		return nil
	}
	for holds, names := range s.Columns {
		for _, name := range names {
			if i := at(name); i >= 0 {
				f.columns[holds] = append(f.columns[holds], i)
			}
		}
	}
	for word, means := range s.Words {
		result, detail, _ := strings.Cut(word, "/")
		f.words[plainWord(result, detail)] = means
	}
	return f
}

// knowsMost reports whether more than half of the results are words of the
// service.
func (f *serviceReader) knowsMost(rows [][]string) bool {
	held, known := 0, 0
	for _, row := range rows {
		word := f.word(row)
		if word == "" {
			continue
		}
		held++
		if _, is := f.words[word]; is {
			known++
		}
	}
	return known > held/2
}

func (f *serviceReader) word(cells []string) string {
	return plainWord(f.cell(cells, f.result), f.cell(cells, f.detail))
}

func (f *serviceReader) cell(cells []string, column int) string {
	if column < 0 || column >= len(cells) {
		return ""
	}
	return strings.TrimSpace(plainCell(cells[column]))
}

// held returns the first cell with something of a kind.
func (f *serviceReader) held(cells []string, kind string) string {
	for _, column := range f.columns[kind] {
		if cell := f.cell(cells, column); cell != "" {
			return cell
		}
	}
	return ""
}

func (f *serviceReader) is(cells []string, kind string) bool {
	return slices.Contains([]string{"true", "yes", "1"}, strings.ToLower(f.held(cells, kind)))
}

// meanings are what a word of a service is to us: see services.yaml.
var meanings = map[string]struct {
	verdict rcpt.Verdict
	reason  rcpt.Reason
}{
	"deliverable":   {rcpt.VerdictDeliverable, rcpt.ReasonRecipientAccepted},
	"accept-all":    {rcpt.VerdictAcceptAll, rcpt.ReasonCatchAll},
	"undeliverable": {rcpt.VerdictUndeliverable, rcpt.ReasonMailboxNotFound},
	"spam-trap":     {rcpt.VerdictUnknown, rcpt.ReasonSpamTrap},
	"disposable":    {rcpt.VerdictUnknown, rcpt.ReasonNotAsked},
}

// earlierResult returns the result in a row, or nil if its address is to be
// asked about: its word is not known, or proves too little.
func (f *serviceReader) earlierResult(cells []string) *rcpt.Result {
	means := f.words[f.word(cells)]
	if acceptAll := f.is(cells, "accept_all"); acceptAll && (means == "deliverable" || means == "risky") {
		means = "accept-all"
	}
	if f.is(cells, "trap") && means != "" {
		means = "spam-trap"
	}
	meaning, settled := meanings[means]
	if !settled {
		return nil
	}
	r := &rcpt.Result{
		Verdict: meaning.verdict, Reason: meaning.reason,
		AcceptAll: meaning.verdict == rcpt.VerdictAcceptAll,
		Role:      f.is(cells, "role"), Free: f.is(cells, "free"),
		Disposable: means == "disposable" || f.is(cells, "disposable"), SpamTrap: means == "spam-trap",
		CheckedAt: serviceTime(f.held(cells, "checked")),
		Details:   &rcpt.Details{CatchAll: rcpt.CatchAllUnknown, Source: f.name},
	}
	if suggestion := f.held(cells, "suggestion"); isAddress(suggestion) {
		r.Suggestion = suggestion
	}
	r.Message = f.name + " said " + f.cell(cells, f.result)
	if detail := f.cell(cells, f.detail); detail != "" {
		r.Message += ", " + detail
	}
	if at := r.CheckedAt; !at.IsZero() {
		r.Message += " on " + at.Format(time.DateOnly)
	}
	r.Message += "."
	return r
}

// serviceResults returns the results of another service for the addresses of a
// row, or nil. A service verifies one column, and of several that are read
// nothing says which.
func (d *Description) serviceResults(cells []string) []*rcpt.Result {
	if d.service == nil || len(d.Read) != 1 {
		return nil
	}
	return []*rcpt.Result{d.service.earlierResult(cells)}
}

// findService looks for the columns of another service.
func (d *Description) findService(rows [][]string) {
	if d.Earlier != "" {
		return
	}
	if d.service = serviceOf(d.columnNames(), rows); d.service != nil {
		d.Earlier = d.service.name
	}
}

// flagLists are the embedded lists, nil if they cannot be read.
var flagLists = sync.OnceValue(func() *flags.Lists {
	known, err := flags.New()
	if err != nil {
		return nil
	}
	return known
})

// Flag adds to the result of another service what lists say of the address in a
// cell; nil: the embedded ones. It reports false if they say that it is a spam
// trap, which the service does not know: the address is to be judged anew.
func Flag(known *flags.Lists, r *rcpt.Result, cell string) bool {
	if known == nil {
		known = flagLists()
	}
	parsed, err := address.Read(address.Clean(cell).Address)
	if r.Details.Source == "" || known == nil || err != nil {
		return true
	}
	has := func(kind flags.Kind) bool { return known.Has(kind, parsed.Local(), parsed.Domain()) }
	r.Role, r.Free = r.Role || has(flags.KindRole), r.Free || has(flags.KindFree)
	r.Disposable = r.Disposable || has(flags.KindDisposable)
	return r.SpamTrap || !has(flags.KindSpamTrap)
}

// AsOldAs gives a result without a date that of its file.
func AsOldAs(r *rcpt.Result, file time.Time) {
	r.CheckedAt = file.UTC().Truncate(time.Second)
	if r.Details.Source != "" {
		said := strings.TrimSuffix(r.Message, ".")
		r.Message = fmt.Sprintf("%s on %s or before.", said, file.UTC().Format(time.DateOnly))
	}
}

// serviceTimes are the forms of times that services write. Those in which the
// day and the month can be mistaken for each other are not read.
var serviceTimes = []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime, "2006-01-02 15:04", time.DateOnly}

// serviceTime reads a time, in UTC; zero: it has none, or one to come.
func serviceTime(cell string) time.Time {
	for _, form := range serviceTimes {
		if at, err := time.Parse(form, cell); err == nil && at.Before(time.Now().Add(24*time.Hour)) {
			return at.UTC()
		}
	}
	return time.Time{}
}
