package forecast_test

import (
	"math"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/forecast"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// quick is a provider that accepts everybody, a recipient in 100 ms, of which a
// list has one session at a time.
func quick() forecast.Hosts {
	return forecast.Hosts{
		Provider: pace.Table{Provider: "quick", Known: true, Limits: pace.Limits{
			Sessions: 2, SessionsPerMinute: pace.Unlimited, RecipientsPerSession: 10,
			RecipientsPerMinute: pace.Unlimited, RecipientsPerDay: pace.Unlimited,
		}},
		Networks: 1, Open: time.Second, Recipient: 100 * time.Millisecond,
	}
}

var process = forecast.Process{Sessions: 1000, Concurrency: 50}

// TestOf: what can be computed by hand. A session takes a second, and 0.9 for
// its recipients: a tenth would leave no room for a whole question.
func TestOf(t *testing.T) {
	slower, two, tiny := quick(), quick(), quick()
	slower.Open = 2 * time.Second
	two.Provider.Limits.Sessions = 3
	tiny.Provider.Limits.RecipientsPerMinute = 40 // of which 35 are for lists, in whole questions
	for _, tt := range []struct {
		name                 string
		hosts                forecast.Hosts
		recipients, sessions float64
	}{
		{"one session", quick(), 60 / 1.9 * 9, 1},
		{"it opens slowly", slower, 60 / 2.9 * 9, 1},
		{"two sessions", two, 2 * 60 / 1.9 * 9, 2},
		{"a limit a minute", tiny, 33, 0.12},
	} {
		got := forecast.Of(tt.hosts, process, 2*time.Minute, 10*time.Minute)
		if math.Abs(got.Recipients-tt.recipients) > 0.03*tt.recipients || math.Abs(got.Sessions-tt.sessions) > 0.05 {
			t.Errorf("%s: %+v, want %v recipients a minute in %v sessions", tt.name, got, tt.recipients, tt.sessions)
		}
		if answered := got.Addresses > 0; !answered || got.Recipients > 0 && got.Addresses > got.Recipients {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

// TestSmall: small providers are asked side by side, as far as the process
// goes.
func TestSmall(t *testing.T) {
	small := forecast.Hosts{Domain: 1, Open: time.Second, Recipient: 100 * time.Millisecond}
	of := func(sessions, concurrency int) forecast.Rate {
		p := forecast.Process{Sessions: sessions, Concurrency: concurrency}
		return forecast.Of(small, p, time.Minute, time.Minute)
	}
	few, more, capped := of(1000, 10), of(1000, 20), of(8, 20)
	small.Silent, small.Silence = 0.5, 10*time.Second
	silent := of(1000, 10)
	if ratio := more.Addresses / few.Addresses; ratio < 1.9 || ratio > 2.1 {
		t.Errorf("%+v, and with twice as many in progress %+v", few, more)
	}
	if capped.Sessions > 7 || capped.Addresses > more.Addresses {
		t.Errorf("with seven sessions for lists: %+v", capped)
	}
	if silent.Addresses > 0.5*few.Addresses || silent.Recipients > 1.2*silent.Addresses {
		t.Errorf("half of them do not answer for ten seconds: %+v", silent)
	}
	if few.Recipients < 2*few.Addresses {
		t.Errorf("each domain has a control: %+v", few)
	}
}

// TestRepeats: a forecast is the same each time.
func TestRepeats(t *testing.T) {
	h := quick()
	h.Refused = 0.5
	once, again := forecast.Of(h, process, time.Minute, time.Minute), forecast.Of(h, process, time.Minute, time.Minute)
	if once != again {
		t.Errorf("%+v, and then %+v", once, again)
	}
}

// TestBusiest: one egress has all networks, and several share them.
func TestBusiest(t *testing.T) {
	for _, tt := range []struct{ networks, egresses, least, most int }{
		{1, 1, 1, 1}, {1, 100, 1, 1}, {7, 1, 7, 7}, {100, 2, 50, 60}, {4, 100, 1, 2}, {1000, 10, 100, 130},
	} {
		if got := forecast.Busiest(tt.networks, tt.egresses); got < tt.least || got > tt.most {
			t.Errorf("of %d networks one of %d egresses has %d", tt.networks, tt.egresses, got)
		}
	}
}
