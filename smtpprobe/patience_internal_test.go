package smtpprobe

import (
	"cmp"
	"testing"
)

// flightOf is a transaction about some mailboxes, the first of its session, and what was said to each: a code, or 0 for nothing.
func flightOf(codes ...int) *flight {
	f := &flight{s: &session{conn: &conn{}}, host: &mailHost{}, fresh: true, mail: said{reply: &Reply{Code: 250}}}
	for i, code := range codes {
		f.asks = append(f.asks, &ask{req: &Request{}})
		r := recipient{before: i}
		if code > 0 {
			r.reply = &Reply{Code: code}
			r.class = ClassNoSuchUser
		}
		f.named = append(f.named, r)
	}
	return f
}

// TestJudge is about what becomes of those whom a session that came to its end leaves behind.
func TestJudge(t *testing.T) {
	wornOut := flightOf(550, 421, 0)
	wornOut.wornOut = true
	refused := func(left bool) *flight {
		f := flightOf(0, 0)
		f.mail.reply = &Reply{Code: 421}
		f.s.conn.left = left
		return f
	}
	first := func(left bool) *flight {
		f := flightOf(421, 0)
		f.s.conn.left = left
		return f
	}
	for _, tt := range []struct {
		name string
		f    *flight
		i    int
		want verdict
	}{
		{"answered before the host hung up", wornOut, 0, told},
		{"hung up over refusals", wornOut, 1, askAlone},
		{"behind it", wornOut, 2, askInTurn},
		{"behind a hang-up for nobody knows what", flightOf(250, 421, 0), 2, askAlone},
		{"MAIL refused first thing", refused(false), 1, told},
		{"MAIL refused with QUIT in its group", refused(true), 1, askAgain},
		{"the first told to go", first(false), 0, told},
		{"the first told to go with QUIT in its group", first(true), 0, askAlone},
	} {
		if got := tt.f.judge(tt.i, nil); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// TestHangUpOverRefusals sees that it teaches nothing about the number of recipients.
func TestHangUpOverRefusals(t *testing.T) {
	for _, wornOut := range []bool{false, true} {
		f := flightOf(550, 550, 421)
		f.wornOut = wornOut
		f.host.heedRecipients(f, nil)
		if want := map[bool]int{false: 2}[wornOut]; f.host.traits.named != want {
			t.Errorf("worn out %t: at most %d recipients a session, want %d", wornOut, f.host.traits.named, want)
		}
	}
}

// TestCostOfAnAsk sees that a control that somebody else brings along is not counted twice, and one that nobody does is.
func TestCostOfAnAsk(t *testing.T) {
	request := &Request{Control: "random@a.example"}
	knows, brings := &ask{req: request, domain: "a.example", control: &Reply{Code: 550}}, &ask{req: request, domain: "a.example"}
	for _, tt := range []struct {
		a      *ask
		others []*ask
		want   int
	}{
		{knows, nil, 1},
		{brings, nil, 2},
		{brings, []*ask{knows}, 2},
		{brings, []*ask{knows, brings}, 1},
		{&ask{req: request, domain: "b.example"}, []*ask{brings}, 2},
		{&ask{req: &Request{}, domain: "b.example"}, []*ask{brings}, 1},
	} {
		if got := cost(tt.a, tt.others); got != tt.want {
			t.Errorf("%d recipients beside %d others, want %d", got, len(tt.others), tt.want)
		}
	}
}

// TestWhatWasRefusedLatelyCounts sees that a host's older answers fade.
func TestWhatWasRefusedLatelyCounts(t *testing.T) {
	h := &mailHost{}
	for range 20 {
		h.fade()
		h.asked += 50
	}
	for range 4 {
		h.fade()
		h.asked, h.refused = h.asked+50, h.refused+50
	}
	if share := float64(h.refused) / float64(h.asked); share < 0.8 {
		t.Errorf("refused of the last 200 recipients all, of 1000 before none: share %.2f", share)
	}
}

// TestSilenceTeachesTheSecondTime sees what is made of sessions in which a host fell silent over a mailbox that it answers about by itself.
func TestSilenceTeachesTheSecondTime(t *testing.T) {
	pool, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pool.Close() }()
	for _, tt := range []struct {
		name             string
		silences         []hush
		named, impatient int // caps afterwards; 0: none
	}{
		{"once", []hush{{named: 30, refused: 20}}, 0, 0},
		{"twice", []hush{{named: 30, refused: 2}, {named: 25, refused: 3}}, 25, 0},
		{"at the first recipient", []hush{{}, {}}, 1, 0},
		{"beyond the refusals that any host bears", []hush{{named: 30, refused: 20}, {named: 25, refused: 18}}, 25, defaultRefused},
	} {
		h := &mailHost{}
		for _, s := range tt.silences {
			h.fellSilent(&s, defaultRefused)
		}
		named := pool.caps(&worker{pool: pool, host: h}, 0).Recipients
		if want := cmp.Or(tt.named, defaultRecipients); named != want || h.traits.refused != tt.impatient {
			t.Errorf("%s: %d recipients, %d refused; want %d, %d", tt.name, named, h.traits.refused, want, tt.impatient)
		}
	}
}

// TestWhoGivesUpTeachesNothing sees that a session which we cut off is not taken for one of which the host has had enough.
func TestWhoGivesUpTeachesNothing(t *testing.T) {
	for _, tt := range []struct {
		name    string
		kind    Kind
		hurried bool
		want    int // refusals that the host is known to bear
	}{
		{"cancelled", KindCancelled, false, 0},
		{"no more time", KindTimeout, true, 0},
		{"silent, over a mailbox perhaps", KindTimeout, false, 0},
		{"hung up", KindClosed, false, defaultRefused},
	} {
		pool, err := New(Config{})
		if err != nil {
			t.Fatal(err)
		}
		f := flightOf(550, 550, 0)
		f.s.pool, f.s.refused, f.s.hurried = pool, 2*defaultRefused, tt.hurried
		pool.learn(&worker{pool: pool, host: f.host}, f, &Failure{Phase: PhaseRCPT, Kind: tt.kind})
		if got := f.host.traits.refused; got != tt.want {
			t.Errorf("%s: known to bear %d, want %d", tt.name, got, tt.want)
		}
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}
}
