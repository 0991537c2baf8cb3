package bulk

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

func full(email string, row []byte) *record {
	return &record{item: Item{Email: email, Row: row}, answer: &answer{result: rcpt.Result{
		Email: strings.ToValidUTF8(email, "\uFFFD"), Local: "user", Domain: "one.example", AcceptAll: true, Role: true, Free: true, Disposable: true, SpamTrap: true,
		Verdict: rcpt.VerdictUnknown, Message: "<later & more>", Reason: rcpt.ReasonGreylisted, RetryAt: time.Unix(1, 2).UTC().Add(time.Minute + 7*time.Millisecond), Suggestion: "s", CheckedAt: time.Unix(1, 2).UTC(), Details: &rcpt.Details{Provider: "p", MX: []rcpt.MX{{Host: "mx.example", Preference: 1}}, CatchAll: rcpt.CatchAllYes, Matches: []lists.Match{{List: lists.KindRole, Entry: "user"}}, SMTP: &rcpt.SMTPAnswer{Host: "mx.example", Code: 451, Text: "later"}, Transcript: []smtp.Line{{From: "S", Text: "220 mx.example", At: 3 * time.Millisecond}}, Duration: 7 * time.Millisecond},
	}}}
}

func records() []*record {
	return []*record{
		full("a@one.example", nil),
		full("b@one.example", []byte{}),
		{item: Item{Email: "no answer", Row: []byte("row")}},
		full("\xff not UTF-8", []byte(strings.Repeat("\x00\xff", 50_000))),
		{item: Item{}, answer: &answer{result: rcpt.Result{Email: "short", Verdict: rcpt.VerdictUndeliverable, Message: "m"}}},
	}
}

var compared = cmp.AllowUnexported(record{}, answer{})

func TestShelf(t *testing.T) {
	for name, octets := range map[string]int64{"in memory": 1 << 20, "in files": 0, "both": 1500} {
		t.Run(name, func(t *testing.T) {
			buffer := newSpillBuffer(octets, t.TempDir())
			defer buffer.close()
			for range 2 { // the second time in the room of the first
				var at []ref
				for _, r := range records() {
					at = append(at, buffer.put(r))
				}
				for i, want := range slices.Backward(records()) {
					got, err := buffer.take(at[i])
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(want, got, compared); diff != "" {
						t.Errorf("record %d: %s", i, diff)
					}
				}
			}
			if last := buffer.spill.segments[buffer.spill.last]; last != nil && last.written > 0 {
				t.Errorf("%d octets of the file are in use", last.written)
			}
			if buffer.room != octets || len(buffer.memory) > 0 || len(buffer.spill.segments) > 1 {
				t.Errorf("room for %d octets is left of %d; %d files", buffer.room, octets, len(buffer.spill.segments))
			}
		})
	}
}

// TestSegments checks that a file whose records are taken goes, though others
// stay.
func TestSegments(t *testing.T) {
	buffer := newSpillBuffer(0, t.TempDir())
	defer buffer.close()
	var at []ref
	for n := range 6 {
		if n%2 == 0 && n > 0 {
			fill(t, buffer.spill.segments[buffer.spill.last])
		}
		at = append(at, buffer.put(full(strings.Repeat("x", n), nil)))
	}
	second := buffer.spill.segments[2]
	for _, step := range []struct{ take, files int }{{3, 3}, {0, 3}, {2, 2}, {5, 2}, {1, 1}, {4, 1}} {
		got, err := buffer.take(at[step.take])
		if err != nil || len(got.item.Email) != step.take {
			t.Errorf("%d: %+v (%v)", step.take, got, err)
		}
		if files := len(buffer.spill.segments); files != step.files {
			t.Errorf("after %d there are %d files, want %d", step.take, files, step.files)
		}
	}
	if err := second.file.Close(); !errors.Is(err, os.ErrClosed) {
		t.Error("a file that went is still open")
	}
}

// fill makes a segment as large as one gets, with a hole.
func fill(t *testing.T, s *segment) {
	t.Helper()
	s.written = segmentOctets
	if err := s.file.Truncate(segmentOctets); err != nil {
		t.Fatal(err)
	}
}

// TestDamage checks that a file that somebody else has changed is an error,
// which names the folder.
func TestDamage(t *testing.T) {
	for name, damage := range map[string]func(*segment){
		"cut":     func(s *segment) { _ = s.file.Truncate(7) },
		"length":  func(s *segment) { _, _ = s.file.WriteAt([]byte{0xff}, 0) },
		"content": func(s *segment) { _, _ = s.file.WriteAt([]byte{0xff, 0xff}, headOctets) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			buffer := newSpillBuffer(0, dir)
			defer buffer.close()
			at := buffer.put(full("a@one.example", nil))
			damage(buffer.spill.segments[1])
			if _, err := buffer.take(at); err == nil || !strings.Contains(err.Error(), dir) {
				t.Errorf("%v", err)
			}
		})
	}
}

func FuzzParseRecord(f *testing.F) {
	for _, r := range records() {
		data, err := r.append(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := parseRecord(data)
		if err != nil {
			return
		}
		again, err := first.append(nil)
		if err != nil {
			t.Skip("a time beyond what JSON knows")
		}
		second, err := parseRecord(again)
		if diff := cmp.Diff(first, second, compared); diff != "" || err != nil {
			t.Errorf("%s (%v)", diff, err)
		}
	})
}
