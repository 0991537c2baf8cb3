package webhook

import (
	"context"
	"crypto/x509"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

const (
	// pollEvery is how soon a webhook of any node is noticed.
	pollEvery = time.Second
	// atOnce is how many webhooks a node sends at a time. perHost are how many
	// of one receiver's host all nodes do, and perKey of one key: a receiver
	// that hangs holds up its own webhooks only, and a key with many of them
	// its own. The last quarter is for hosts that nothing is sent to.
	atOnce  = 64
	perHost = 4
	perKey  = 8
	// lease is longer than a try and its settling take. After it another node
	// takes over what a lost one was sending.
	lease = time.Minute
	// settleTimeout bounds the wait for the store after a try.
	settleTimeout = 20 * time.Second
)

// Store is what a Sender needs of a
// [github.com/rcpt/rcpt/internal/service/store.Store].
type Store interface {
	ClaimWebhooks(ctx context.Context, limit, perKey, perHost int, lease time.Duration) ([]rows.ClaimedWebhook, error)
	SettleWebhook(
		ctx context.Context, w rows.ClaimedWebhook, try rows.WebhookTry, state rows.WebhookState, next time.Time,
	) error
}

// Config configures a [Sender].
type Config struct {
	Store Store // required
	// AllowNets are networks that receivers may be in although they are not
	// public. Default: none.
	AllowNets []netip.Prefix
	// Mailer sends the mails about lists that have ended. Nil: none are sent.
	Mailer Mailer
	// PublicURL is where people reach the server, for these mails. Default:
	// they do not say.
	PublicURL string
	// UserAgent names the sender to receivers.
	UserAgent string
	// Roots are the authorities whose certificates are accepted. Default: the
	// system's.
	Roots *x509.CertPool
	// Log receives failures, with the host of the receiver alone: a URL may
	// contain a secret. Nil is silent.
	Log *slog.Logger
	// Now is the clock; nil is [time.Now].
	Now func() time.Time
}

// Sender sends webhooks.
type Sender struct {
	config         Config
	public, inside *http.Client
	slots          chan struct{} // one for each webhook that is being sent
	freed          chan struct{} // one has been, since the last look
	sending        sync.WaitGroup
}

// New returns a Sender.
func New(c Config) *Sender {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Sender{
		config: c, slots: make(chan struct{}, atOnce), freed: make(chan struct{}, 1),
		public: newClient(gate{allowed: c.AllowNets}, c.Roots),
		inside: newClient(gate{allowed: c.AllowNets, inside: true}, c.Roots),
	}
}

// Run sends what is due until ctx ends. Then it finishes what it is sending,
// which takes no longer than a try.
func (s *Sender) Run(ctx context.Context) {
	defer s.sending.Wait()
	failing := false
	for ctx.Err() == nil {
		err := s.sendDue(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			s.config.Log.Error("webhooks cannot be read and are not sent until they can",
				slog.String("error", err.Error()))
		}
		failing = err != nil
		select {
		case <-ctx.Done():
		case <-s.freed:
		case <-time.After(pollEvery):
		}
	}
}

// sendDue begins to send what is due, as far as there are free slots.
func (s *Sender) sendDue(ctx context.Context) error {
	free := cap(s.slots) - len(s.slots)
	if free == 0 {
		return nil
	}
	kept, each := cap(s.slots)/4, perHost
	if free <= kept {
		kept, each = 0, 1
	}
	claimed, err := s.config.Store.ClaimWebhooks(ctx, free-kept, perKey, each, lease)
	for _, w := range claimed {
		s.slots <- struct{}{}
		s.sending.Go(func() {
			s.send(context.WithoutCancel(ctx), w)
			<-s.slots
			select {
			case s.freed <- struct{}{}:
			default:
			}
		})
	}
	return err
}

// send sends a webhook once and stores what follows. If the store fails, the
// lease runs out and the webhook is sent again.
func (s *Sender) send(ctx context.Context, w rows.ClaimedWebhook) {
	try, retryAfter := s.try(ctx, w)
	state, wait := after(w, try.Status, retryAfter)
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	err := s.config.Store.SettleWebhook(ctx, w, try, state, s.config.Now().Add(wait))
	log := s.config.Log.With(slog.String("webhook", w.ID), slog.String("host", hostOf(w.URL)),
		slog.Int("status", try.Status))
	switch {
	case errors.Is(err, rows.ErrLeaseLost): // others settle it, or its receiver is gone meanwhile
	case err != nil:
		log.Warn("a webhook was sent and that cannot be stored: it will be sent again",
			slog.String("error", err.Error()))
	case state == rows.WebhookFailed || state == rows.WebhookDisabled:
		log.Warn("a webhook is given up", slog.String("state", string(state)), slog.String("error", try.Error))
	default:
		log.Debug("webhook", slog.String("state", string(state)), slog.String("error", try.Error))
	}
}

func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
