package smtpprobe_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// worlds is how many random worlds a test makes: what RCPT_WORLDS says, or n,
// of which "make test" and "make race" have a fifth.
func worlds(n uint64) uint64 {
	if all, err := strconv.ParseUint(os.Getenv("RCPT_WORLDS"), 10, 64); err == nil {
		return all
	}
	if testing.Short() {
		return n / 5 // make test-long has them all
	}
	return n
}

// truths are the replies to RCPT for mailboxes that are asked about alone, by
// the beginning of their names.
var truths = map[string]string{
	"good":    "250 2.1.5 Ok",
	"bad":     "550 5.1.1 no such user",
	"gone":    "550 no such user here",
	"full":    "452 4.2.2 mailbox full",
	"over":    "552 5.2.2 over quota",
	"grey":    "450 4.7.1 greylisted, come back later",
	"private": "550 5.7.1 you may not write to this group",
	"odd":     "550 rejected",
	"moved":   "551 5.1.6 moved",
}

func truthOf(mailbox string) string {
	kind := strings.TrimRight(mailbox[:strings.IndexByte(mailbox, '@')], "0123456789")
	if text, ok := truths[kind]; ok {
		return text
	}
	return truths["bad"] // controls
}

// whims are what may get into a host, by what it is asked and how far the
// session has come. Each returns empty where it has no effect.
func whims(r *rand.Rand) func(v *visit, command, due string) string {
	patience, words := 1+r.IntN(30), []string{
		closes, resets, "421 4.7.0 too many errors", "421 4.3.2 going down", "550 5.7.1 too many recipients", "452 4.5.3 too many recipients",
		"550 rejected", "554 5.7.1 blocked", "451 4.7.1 slow down", "450 4.2.0 later", hangs, "221 bye", "what?",
	}
	word := words[r.IntN(len(words))]
	when := func(verb string, enough func(v *visit) bool) func(v *visit, c, due string) string {
		return func(v *visit, c, _ string) string {
			if strings.HasPrefix(c, verb) && enough(v) {
				return word
			}
			return ""
		}
	}
	switch r.IntN(8) {
	case 0: // has enough of recipients
		return when("RCPT", func(v *visit) bool { return v.Named >= patience })
	case 1: // of refusals
		return when("RCPT", func(v *visit) bool { return v.Refused >= patience })
	case 2: // of recipients in a transaction
		return when("RCPT", func(v *visit) bool { return v.Here >= patience })
	case 3: // of transactions
		return when("MAIL", func(v *visit) bool { return v.Mailed >= 1+patience/5 })
	case 4: // now and then
		var mu sync.Mutex
		moods := rand.New(rand.NewPCG(r.Uint64(), 1))
		return when("", func(v *visit) bool {
			mu.Lock()
			defer mu.Unlock()
			return v.Commands > 1 && v.Named > 0 && moods.IntN(60) == 0
		})
	case 5:
		return when("RSET", func(v *visit) bool { return v.Commands > patience })
	}
	return func(*visit, string, string) string { return "" }
}

// whimsical is a host with a whim or two.
func whimsical(r *rand.Rand) *peer {
	one, two := whims(r), whims(r)
	p := &peer{RCPTFunc: func(_ *visit, m string) string { return truthOf(m) }}
	p.Say = func(v *visit, c, due string) string { return cmp.Or(one(v, c, due), two(v, c, due)) }
	if r.IntN(6) == 0 {
		p.ByteDelay = 1
	}
	p.NoPipelining = r.IntN(3) == 0
	if r.IntN(3) == 0 {
		p.RCPTDelay = 10 * time.Millisecond
	}
	return p
}

// faulty is a host with whims, or with one reply too many, once or now and
// then, one too few, or one without its last line.
func faulty(r *rand.Rand) *peer {
	p := &peer{RCPTFunc: func(_ *visit, m string) string { return truthOf(m) }}
	nth := 5 + r.IntN(60)
	var named atomic.Int64 // recipients; a session that has ended may still be on its way out beside the next
	switch r.IntN(6) {
	case 0:
		p = whimsical(r)
	case 1: // a reply too many
		word := []string{"250 ok", "550 5.1.1 no such user", "421 4.3.2 bye", "221 bye"}[r.IntN(4)]
		p.Say = func(_ *visit, c, due string) string {
			if isRCPT(c) && named.Add(1) == int64(nth) {
				return due + "\n" + word
			}
			return ""
		}
	case 2: // now and then the same again
		p.Say = func(_ *visit, c, due string) string {
			if isRCPT(c) && named.Add(1)%int64(nth) == 0 {
				return due + "\n" + due
			}
			return ""
		}
	case 3: // replies left out
		p.RCPTFunc = func(_ *visit, m string) string {
			if named.Add(1)%int64(nth) == 0 {
				return skips
			}
			return truthOf(m)
		}
	case 4: // replies without their last line, and a whim
		p = whimsical(r)
		fallthrough
	case 5: // replies without their last line
		p.RCPTFunc = func(_ *visit, m string) string {
			text := truthOf(m)
			if named.Add(1)%int64(nth) == 0 {
				return text[:3] + "-" + text[4:]
			}
			return text
		}
	}
	p.Pace = []time.Duration{0, 0, 20 * time.Millisecond, 200 * time.Millisecond}[r.IntN(4)]
	end := []string{"", "", closes, resets, hangs, "421 4.3.2 bye", "250 bye", "500 what?"}[r.IntN(8)]
	before := p.Say
	p.Say = func(v *visit, c, due string) string {
		if c == "QUIT" {
			return end
		}
		if before == nil {
			return ""
		}
		return before(v, c, due)
	}
	return p
}

// checkAgainstTruth fails where anything but the truth was told for good.
func checkAgainstTruth(t *testing.T, req smtpprobe.Request, r told) {
	t.Helper()
	last := r.last()
	if last.Target == nil || last.Unproven {
		return
	}
	checkTranscript(t, req.Target, last)
	truth, err := smtp.ParseReply(truthOf(req.Target))
	if err != nil {
		t.Fatal(err)
	}
	switch said := classOf(last, req.Target, *last.Target); said {
	case classOf(last, req.Target, truth):
	case replies.ClassOK, replies.ClassNoSuchUser, replies.ClassDisabled, replies.ClassMoved:
		t.Errorf("%s: told %q, the truth is %q:\n%s", req.Target, last.Target, truth, transcript(last))
	}
}

// world is what a seed makes: hosts of all kinds of whims, or one with a
// fault, lists that are asked about at the same time, and how that ends.
type world struct {
	config smtpprobe.Config
	hosts  map[string]smtptest.Handler
	lists  [][]smtpprobe.Request
	caller []smtpprobe.Caller // of each list
	how    ending
	end    time.Duration // when that is
	each   bool          // all lists end, and not the first alone
}

// ending is what happens to requests that are under way.
type ending int

const (
	nothingEnds ending = iota
	cancels
	expires
	poolCloses
)

func newWorld(r *rand.Rand) *world {
	w := &world{
		config: smtpprobe.Config{MaxSessionsPerHost: 1 + r.IntN(4), MaxSessions: 2 + r.IntN(10)},
		hosts:  map[string]smtptest.Handler{"2001:db8::1": whimsical(r)},
		lists:  make([][]smtpprobe.Request, 3), caller: make([]smtpprobe.Caller, 3),
		how: ending(max(0, r.IntN(6)-2)), end: time.Duration(r.IntN(1<<(8+r.IntN(7)))) * time.Millisecond, each: r.IntN(2) == 0,
	}
	single := r.IntN(2) == 0 // else the connection is refused at the fifth
	for i := range 5 {
		addr := fmt.Sprintf("192.0.2.%d", i+1)
		switch kind := r.IntN(12); {
		case single:
			w.hosts[addr] = faulty(r)
			w.config.MaxSessionsPerHost = 1
			w.config.Session.Refused = []int{0, 9}[r.IntN(2)]
		case kind == 0:
			w.hosts[addr] = &smtptest.Host{Greeting: "421 4.3.2 come back later"}
		case kind == 1:
			w.hosts[addr] = nil
		case i < 4:
			w.hosts[addr] = whimsical(r)
		}
	}
	if r.IntN(3) == 0 {
		w.config.MaxWaitingPerHost = 1 + r.IntN(60)
	}
	for i := range w.lists {
		w.lists[i] = w.list(r, single, &w.caller[i])
	}
	return w
}

// list draws requests, to one host or to two addresses and perhaps more that
// are found slowly.
func (w *world) list(r *rand.Rand, single bool, caller *smtpprobe.Caller) []smtpprobe.Request {
	kinds := append(slices.Sorted(maps.Keys(truths)), "good", "good", "good", "good", "bad", "bad", "bad")
	addr := func() string { return fmt.Sprintf("192.0.2.%d", 1+r.IntN(5)) }
	var requests []smtpprobe.Request
	for n := range 5 + r.IntN(60) {
		addrs := []string{"192.0.2.1"}
		if !single {
			addrs = []string{addr(), addr()}
		}
		req := about(fmt.Sprintf("%s%d@d%d.example", kinds[r.IntN(len(kinds))], n, r.IntN(3)), addrs...)
		if r.IntN(2) == 0 {
			req.Budget = time.Duration(1+r.IntN(20)) * time.Second
		}
		if r.IntN(2) == 0 {
			req.Caller = caller
		}
		if slow := time.Duration(1+r.IntN(2000)) * time.Millisecond; !single && r.IntN(3) == 0 {
			req.Hosts[0].More = func(ctx context.Context) []netip.Addr {
				select {
				case <-time.After(slow):
				case <-ctx.Done():
				}
				return addrsOf("2001:db8::1")
			}
		}
		requests = append(requests, req)
	}
	return requests
}

// ask asks about one list, and checks the answers.
func (w *world) ask(b *bubble, i int) {
	ends := i == 0 || w.each
	ctx, cancel := b.Context(), context.CancelFunc(func() {})
	switch {
	case w.how == cancels && ends:
		ctx, cancel = cancelAfter(w.end)(b.Context())
	case w.how == expires && ends:
		ctx, cancel = deadlineAfter(w.end)(b.Context())
	}
	defer cancel()
	ask := b.askAll
	if w.how != nothingEnds {
		ask = func(requests []smtpprobe.Request) []told { return b.askTogether(ctx, requests) }
	}
	for n, r := range ask(w.lists[i]) {
		req := w.lists[i][n]
		switch {
		case r.err == nil && len(r.found.Sessions) == 0:
			b.Errorf("%s: no answer", req.Target)
		case r.err == nil, errors.Is(r.err, smtpprobe.ErrBusy) && w.config.MaxWaitingPerHost > 0:
		case w.how == expires && errors.Is(r.err, context.DeadlineExceeded):
		case w.how == cancels && errors.Is(r.err, context.Canceled), w.how == poolCloses && errors.Is(r.err, smtpprobe.ErrClosed):
		default:
			b.Errorf("%s: %v", req.Target, r.err)
		}
		checkAgainstTruth(b.T, req, r)
		if ctx.Err() != nil && r.took > w.end+grace+50*time.Millisecond {
			b.Errorf("%s: told %v after the end", req.Target, r.took-w.end)
		}
	}
	if n := w.caller[i].Waiting(); n != 0 {
		b.Errorf("%d are said to wait", n)
	}
}

// TestRandomWorlds has crowds ask hosts of all kinds of whims and faults, and
// at some moment one or all of them give up, or have no time left, or the pool
// is closed. Each ask gets one answer, and soon; where that says something for
// good about a mailbox, it is what the host says about it alone; and nothing is
// left over.
func TestRandomWorlds(t *testing.T) {
	for seed := range worlds(400) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(rand.New(rand.NewPCG(seed, 7)))
			inBubble(t, w.config, w.hosts, func(b *bubble) {
				var asking sync.WaitGroup
				for i := range w.lists {
					asking.Go(func() { w.ask(b, i) })
				}
				if w.how == poolCloses {
					time.Sleep(w.end)
					_ = b.pool.Close()
				}
				asking.Wait()
				time.Sleep(3 * time.Minute) // for the goodbyes
				synctest.Wait()
				if s := b.pool.Stats(); s.Waiting != 0 || s.Sessions != 0 || s.UnderWay != 0 {
					b.Errorf("left over: %+v", s)
				}
				if one, all := b.gauges.peaks(); one > w.config.MaxSessionsPerHost || all > w.config.MaxSessions {
					b.Errorf("%d sessions with a host at a time, %d in all", one, all)
				}
			})
		})
	}
}
