package lists

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/listdata/bundle"
)

// TestReadBundleRefuses checks that an edition with badly wrong contents is
// refused although its checksum is right.
func TestReadBundleRefuses(t *testing.T) {
	without := func(entries []bundle.Entry, name string) []bundle.Entry {
		return slices.DeleteFunc(entries, func(e bundle.Entry) bool { return e.Name == name })
	}
	disposable := bundle.Listing{List: string(KindDisposable), Confidence: string(ConfidenceBulk)}
	for name, spoil := range map[string]func(*bundle.Draft){
		"a provider is disposable": func(d *bundle.Draft) {
			d.Domains = append(d.Domains, bundle.Entry{Name: "outlook.com", Listing: disposable})
		},
		"a public suffix is disposable":   func(d *bundle.Draft) { d.Domains = append(d.Domains, bundle.Entry{Name: "co.uk", Listing: disposable}) },
		"a service is not disposable":     func(d *bundle.Draft) { d.Domains = without(d.Domains, "mailinator.com") },
		"a provider is not free":          func(d *bundle.Draft) { d.Domains = without(d.Domains, "gmail.com") },
		"no domains":                      func(d *bundle.Draft) { d.Domains = nil },
		"the word of RFC 5321 is no role": func(d *bundle.Draft) { d.Words = without(d.Words, "postmaster") },
	} {
		draft := smallDraft()
		spoil(&draft)
		text, err := draft.Build()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadBundle([]byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// FuzzReadBundle checks that nothing outside of a bundle is read: an edition
// that is accepted can be searched.
func FuzzReadBundle(f *testing.F) {
	text, err := smallDraft().Build()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, uint32(0), uint32(0))
	f.Fuzz(func(t *testing.T, text string, at, number uint32) {
		b, err := ReadBundle([]byte(forge(text, at, number)))
		if err != nil {
			return
		}
		l, err := b.New()
		if err != nil {
			t.Fatal(err)
		}
		l.Match("sales-uk+x", "a.mailinator.com")
		l.MatchHosts("gmial.com", []string{"mx.backend.example"})
		for _, kind := range []Kind{KindRole, KindFree, KindDisposable, KindRelay, KindSpamTrap, KindAllow} {
			for range l.Entries(kind) {
			}
		}
		l.Info()
	})
}

// forge writes a number somewhere into a bundle, such as the start of a bucket,
// and corrects the checksum.
func forge(text string, at, number uint32) string {
	const checksumIs = "\nsha256: "
	data := []byte(text)
	if uint64(at)+4 <= uint64(len(data)) {
		binary.LittleEndian.PutUint32(data[at:], number)
	}
	before, rest, _ := strings.Cut(string(data), checksumIs)
	_, after, _ := strings.Cut(rest, "\n")
	sum := sha256.Sum256([]byte(before + "\n" + after))
	return before + checksumIs + hex.EncodeToString(sum[:]) + "\n" + after
}
