//go:build unix

package service

import (
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/mention"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/service/store/storetest"
	"github.com/rcpt/rcpt/internal/testkit"
)

// forgotten is who wants to be forgotten.
const forgotten = "Zoe.Quill@Bücher.example"

// spelled are ways to write that, and what else is in her rows.
var spelled = regexp.MustCompile(`(?i)zoe[._]?quill|Zoë Quill|\+49 30 901820`)

// forgetLists are lists that have her, and others.
var forgetLists = map[string]string{
	"csv.csv":                      "name,email,phone,referrer\nZoë Quill,zoe.quill@xn--bcher-kva.example,+49 30 901820,\nBen,ben@a.example,1,ZOE.QUILL@bücher.example\nJo,jo.zoe@a.example,2,\nZoë Quill,Zoe.Quill@BÜCHER.example,+49 30 901820,\n",
	"headless.csv":                 "zoe.quill@bücher.example;Zoë Quill\nben@a.example;Ben\n",
	"lines.txt":                    "ben@a.example\nZoë Quill <zoe.quill@bücher.example>\nmailto:zoe.quill@bücher.example\n",
	"lines.jsonl":                  "{\"email\":\"ben@a.example\",\"n\":1}\n{\"email\":\"zoe.quill\\u0040b\\u00fccher.example\",\"n\":\"Zoë Quill\"}\n",
	"pretty.json":                  "[\n  {\"email\": \"ben@a.example\"},\n  {\"email\": \"zoe.quill@bücher.example\",\n   \"name\": \"Zoë Quill\"}\n]\n",
	"array.json":                   "[\n  {\"email\": \"ben@a.example\"},\n  {\"email\": \"zoe.quill@bücher.example\"}\n]\n",
	"nested.json":                  "{\"by\": \"Zoë Quill\", \"data\": {\"people\": [\n{\"email\": \"ben@a.example\"},\n{\"email\":\n \"zoe.quill@bücher.example\"}]}}",
	"oneline.txt":                  "ben@a.example, zoe.quill@bücher.example, jo@a.example",
	"contacts.vcf":                 "BEGIN:VCARD\r\nFN:Ben\r\nEMAIL:ben@a.example\r\nEND:VCARD\r\nBEGIN:VCARD\r\nFN:Zoë Quill\r\nEMAIL:zoe.quill@bücher.example\r\nEND:VCARD\r\n",
	"strings.json":                 `["ben@a.example","zoe.quill@bücher.example"]`,
	"suggested.csv":                "email\nzoe.quill@typo.example\nben@a.example\n",
	"several.csv":                  "email,other\nzoe.quill@bücher.example,ben@a.example\nben@a.example,jo@a.example\n\"x@a.example, zoe.quill@bücher.example\",jo@a.example\n",
	"windows.csv":                  "name;email\r\n\"J\xf6rg\";ben@a.example\r\n\"Zo\xeb Quill\";zoe.quill@xn--bcher-kva.example\r\n",
	"wide.csv":                     wide("name,email\r\nBen,ben@a.example\r\nZoë Quill,zoe.quill@bücher.example\r\n"),
	"only.csv":                     "zoe.quill@bücher.example\n",
	"zoe.quill@bücher.example.csv": "email\nben@a.example\n",
}

func wide(text string) string {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return string(out)
}

// forgetHosts answers for mail hosts.
type forgetHosts struct{}

func (forgetHosts) VerifyGroup(_ context.Context, addresses []string, _ engine.GroupOptions, done func(int, rcpt.Result, error)) {
	for i, email := range addresses {
		r := rcpt.Result{
			Email: email, Verdict: rcpt.VerdictDeliverable, Reason: rcpt.ReasonRecipientAccepted, Message: "Fine.",
			Details: &rcpt.Details{CatchAll: rcpt.CatchAllNo},
		}
		if domain := "@typo.example"; strings.HasSuffix(email, domain) {
			r.Verdict, r.Reason = rcpt.VerdictUndeliverable, rcpt.ReasonNoMailHost
			r.Suggestion = strings.Replace(email, domain, "@xn--bcher-kva.example", 1)
		}
		done(i, r, nil)
	}
}

func (h forgetHosts) Verify(ctx context.Context, email string) (r rcpt.Result, err error) {
	h.VerifyGroup(ctx, []string{email}, engine.GroupOptions{}, func(_ int, got rcpt.Result, _ error) { r = got })
	return r, nil
}

// forgetState fills a store, and returns a manager that has ended.
func forgetState(t *testing.T, s *store.Store) (*jobs.Manager, []rows.Job) {
	t.Helper()
	ctx := t.Context()
	m, err := jobs.New(jobs.Config{Store: s, Verifier: forgetHosts{}, TempDir: t.TempDir()})
	check(t, err)
	check(t, m.Join(ctx))
	running, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); m.Run(running) }()
	var all []rows.Job
	receive := func(text string) *jobs.Spool {
		spool, err := m.Receive(ctx, strings.NewReader(text))
		check(t, err)
		t.Cleanup(spool.Close)
		return spool
	}
	for name, text := range forgetLists {
		o := jobs.Request{By: store.ByCommand("test"), Owner: "key", Key: "key", Name: name, Notify: forgotten, Webhook: "https://h.example/?to=zoe.quill%40b%C3%BCcher.example"}
		if name == "several.csv" {
			o.Format.Columns = []string{"email", "other"}
		}
		j, err := m.Create(ctx, receive(text), o)
		check(t, err)
		all = append(all, j)
	}
	for _, j := range all {
		testkit.Eventually(t, "the list is done", func() bool {
			now, err := m.Job(ctx, j.ID, nil)
			return err == nil && now.State == rows.JobDone
		})
	}
	stop()
	<-ended
	check(t, m.Join(ctx))
	queued, err := m.Create(ctx, receive(forgetLists["csv.csv"]), jobs.Request{By: store.ByCommand("test"), Owner: "key", Key: "key", Name: "queued"})
	check(t, err)
	for _, text := range []string{forgetLists["csv.csv"], "email\nben@a.example\n"} {
		_, err = m.KeepDraft(ctx, "key", "draft", receive(text))
		check(t, err)
	}
	for _, address := range []string{"zoe.quill@xn--bcher-kva.example", "Zoe.Quill@xn--bcher-kva.example", "ben@a.example"} {
		s.PutVerdict(address, store.Verdict{Result: []byte("{}"), Checked: time.Now(), Expires: time.Now().Add(time.Hour)})
		s.ScheduleRecheck(store.Recheck{Address: address, RunAfter: time.Now(), GiveUp: time.Now().Add(time.Hour)})
	}
	check(t, s.Flush(ctx))
	return m, append(all, queued)
}

// TestForgetInFiles fills a database with an address, erases it, and looks for
// it in all files, as text and as what the compressed parts of lists were.
func TestForgetInFiles(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgresql"} {
		t.Run(engine, func(t *testing.T) {
			o, written := store.Options{DataDir: t.TempDir()}, func(testing.TB) {}
			files := o.DataDir
			if engine == "postgresql" {
				cluster := storetest.Start(t)
				o, files, written = store.Options{DatabaseURL: cluster.Database(t)}, cluster.Files(), cluster.Checkpoint
			}
			s := openStore(t, o)
			m, all := forgetState(t, s)
			before := packedParts(t, s, all)
			written(t)
			if found := inFiles(t, files, before); len(found) == 0 {
				t.Fatal("the test finds nothing before")
			}
			done, err := Forget(t.Context(), s, []string{forgotten})
			check(t, err)
			t.Logf("%+v", done)
			if len(done.Left)+len(done.Arriving)+len(done.Unread) > 0 {
				t.Errorf("left: %+v", done)
			}
			checkForgotten(t, m, s, all)
			written(t)
			for _, place := range inFiles(t, files, before) {
				t.Error(place)
			}
			if engine == "postgresql" { // once is long enough
				return
			}
			again, err := Forget(t.Context(), s, []string{forgotten})
			check(t, err)
			for kind, n := range again.Erased {
				if n != 0 {
					t.Errorf("again: %d %s", n, kind)
				}
			}
		})
	}
}

// TestForgetLeft: what people have to choose anew is said, and stays.
func TestForgetLeft(t *testing.T) {
	s := openStore(t, store.Options{DataDir: t.TempDir()})
	ctx, by := t.Context(), store.ByCommand("test")
	account, err := s.CreateAccount(ctx, by, store.Account{Login: "zoe.quill@xn--bcher-kva.example", Role: store.RoleAdmin, Password: "x"})
	check(t, err)
	key, err := s.CreateKey(ctx, by, store.Key{Name: "for zoe.quill@bücher.example", Hash: store.HashOf("x"), Scopes: []store.Scope{store.ScopeVerify}})
	check(t, err)
	check(t, s.SetSetting(ctx, "pace x zoe.quill@bücher.example", []byte("{}")))
	done, err := Forget(ctx, s, []string{forgotten})
	check(t, err)
	want := []store.Mention{{Table: "accounts", Column: "login", ID: account.ID}, {Table: "api_keys", Column: "name", ID: key.ID}, {Table: "settings", Column: "name"}}
	if !slices.Equal(done.Left, want) {
		t.Errorf("left: %+v", done.Left)
	}
}

// checkForgotten reads all lists, which have their rows still.
func checkForgotten(t *testing.T, m *jobs.Manager, s *store.Store, all []rows.Job) {
	t.Helper()
	for _, j := range all {
		now, err := m.Job(t.Context(), j.ID, nil)
		check(t, err)
		var out bytes.Buffer
		check(t, m.Write(t.Context(), &out, now, jobs.Output{Format: list.CSV}))
		if spelled.Match(out.Bytes()) && j.Name != "suggested.csv" || now.Rows != j.Rows || !bytes.Contains(out.Bytes(), []byte("ben@a.example")) && j.Name != "only.csv" && j.Name != "queued" {
			t.Errorf("%s: %+v\n%s", j.Name, now, out.String())
		}
		if j.Name == "suggested.csv" && bytes.Contains(out.Bytes(), []byte("zoe.quill@xn--bcher")) {
			t.Errorf("she is suggested: %s", out.String())
		}
		packed, err := s.JobHead(t.Context(), j.ID)
		check(t, err)
		head, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
		check(t, err)
		if head = bytes.ReplaceAll(head, []byte{0}, nil); spelled.Match(head) && j.Name != "suggested.csv" {
			t.Errorf("%s: its head is %q", j.Name, head)
		}
		if j.Name == "queued" && (now.Addresses != 2 || now.State != rows.JobQueued) {
			t.Errorf("queued: %+v", now)
		}
	}
	drafts, err := s.Drafts(t.Context(), "")
	check(t, err)
	if waiting, err := s.Rechecks(t.Context()); err != nil || waiting != 1 || len(drafts) != 1 {
		t.Errorf("%d rechecks, %v, %d drafts", waiting, err, len(drafts))
	}
	if _, err := s.Verdict(t.Context(), "ben@a.example"); err != nil {
		t.Error(err)
	}
	if _, err := s.Verdict(t.Context(), "Zoe.Quill@xn--bcher-kva.example"); err == nil {
		t.Error("a verdict is left")
	}
}

// packedParts are the compressed parts of lists from which she is to vanish.
func packedParts(t *testing.T, s *store.Store, all []rows.Job) (parts [][]byte) {
	t.Helper()
	who, err := mention.Of([]string{forgotten})
	check(t, err)
	for _, j := range all {
		if !who.In(forgetLists[j.Name]) && j.Name != "queued" {
			continue
		}
		g, err := s.ListSegment(t.Context(), j.ID, 0)
		check(t, err)
		parts = append(parts, g.Rows)
		for _, b := range g.Batches {
			parts = append(parts, b.Data)
		}
	}
	return parts
}

// inFiles returns where she is found in the files of a folder.
func inFiles(t *testing.T, folder string, parts [][]byte) (found []string) {
	t.Helper()
	check(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		octets, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		if at := regexp.MustCompile(`(?i)zoe.quill(@|%40|\\u0040)(b|xn)`).FindIndex(octets); at != nil {
			found = append(found, fmt.Sprintf("%s: %q", path, octets[max(0, at[0]-60):min(len(octets), at[1]+40)]))
		}
		for _, part := range parts {
			if bytes.Contains(octets, part) {
				found = append(found, fmt.Sprintf("%s: a part of a list", path))
			}
		}
		return nil
	}))
	return found
}
