//go:build unix

package store

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// eventless are the methods that make no event, with the reason.
var eventless = map[string]string{}

func init() {
	for why, methods := range map[string]string{
		"it reads": "Account AccountByLogin Accounts Backup CheckSetupToken Draft Drafts Engine Events Invitation Invitations Job JobHead JobIsWorkedOn JobLeft JobSegment JobSegments JobStates Jobs " +
			"JobsChanged Key Keys KnowsNetwork ListSegment Mentioned NextBatch Ping QuotaUsed Rechecks Secret Session Settings Stats StoredLists StoredOctets Usage Verdict Versions Watch " +
			"Webhook WebhookSecret Webhooks",
		"the server's own work": "AddResults AddSegment ClaimJobRequest ClaimRechecks ClaimWebhooks Close CreateSetupToken ExtendSession FinishRecheck Flush " +
			"ForgetJobRequest ForgetVerdicts FreeBatches JoinJobs LeaseBatches LeaveJobs NoteDamage PauseOrphans PostponeRecheck Purge PutVerdict RecordUse " +
			"RememberNetwork RenewJobRequest ReserveQuota ReturnQuota ScheduleRecheck SetSetting SettleBatches SettleWebhook TouchKey",
		"the command forget, which says itself who used it": "DropList ForgetTexts HoldJob LetGoJob RewriteHead RewriteSegment Scrub",
		"a list that nobody sees yet":                       "BeginJob DropJob KeepDraft TakeDraft",
	} {
		for _, method := range strings.Fields(methods) {
			eventless[method] = why
		}
	}
}

// deed calls a method, and says which events that has to make.
type deed struct {
	method string
	want   []What
	do     func(by Actor) error
}

// deeds are in an order in which each can be done.
func deeds(t *testing.T, s *Store, ctx context.Context) []deed {
	var key, fresh Key
	var account Account
	var w Webhook
	var invitation Invitation
	var began, done Job
	now := s.now()
	join(t, s, "node")
	done = greylistedJob(t, s)
	list, err := s.BeginJob(ctx, "node", Job{Key: "key", Owner: "key", Format: "csv"}, 0, nil)
	check(t, err)
	check(t, s.AddSegment(ctx, list.ID, 0, 0, nil, []Batch{{Addresses: 10, Data: []byte("a")}}))
	_, other := keyWithJob(t, s, "another key")
	of := func(what ...What) []What { return what }
	return []deed{
		{"CreateKey", of(rows.KeyCreated), func(by Actor) (err error) {
			key, err = s.CreateKey(ctx, by, Key{Hash: HashOf("key"), Name: "shop"})
			return err
		}},
		{"UpdateKey", of(rows.KeyChanged), func(by Actor) error { key.Name = "store"; return s.UpdateKey(ctx, by, key) }},
		{"UpdateKey", nil, func(by Actor) error { return s.UpdateKey(ctx, by, key) }},
		{"RotateKey", of(rows.KeyRotated), func(by Actor) (err error) {
			fresh, err = s.RotateKey(ctx, by, key.ID, HashOf("fresh"), now)
			return err
		}},
		{"RevokeKey", of(rows.KeyRevoked), func(by Actor) error { return s.RevokeKey(ctx, by, fresh.ID) }},
		{"RevokeKey", nil, func(by Actor) error { return s.RevokeKey(ctx, by, fresh.ID) }},
		{"StartJob", of(rows.ListCreated), func(by Actor) (err error) {
			began, err = s.StartJob(ctx, by, list.ID, JobTotals{Rows: 10, Addresses: 10, Segments: 1}, nil)
			return err
		}},
		{"PauseJob", of(rows.ListPaused), func(by Actor) error { _, err := s.PauseJob(ctx, by, began.ID); return err }},
		{"PauseJob", nil, func(by Actor) error { _, err := s.PauseJob(ctx, by, began.ID); return err }},
		{"ResumeJob", of(rows.ListResumed), func(by Actor) error { _, err := s.ResumeJob(ctx, by, began.ID); return err }},
		{"ResumeJob", nil, func(by Actor) error { _, err := s.ResumeJob(ctx, by, began.ID); return err }},
		{"CancelJob", of(rows.ListCancelled), func(by Actor) error { _, err := s.CancelJob(ctx, by, began.ID); return err }},
		{"CancelJob", nil, func(by Actor) error { _, err := s.CancelJob(ctx, by, began.ID); return err }},
		{"CancelJobsOfKey", of(rows.ListCancelled), func(by Actor) error { _, err := s.CancelJobsOfKey(ctx, by, other.Key); return err }},
		{"AgainJob", of(rows.ListAgain), func(by Actor) error { _, err := s.AgainJob(ctx, by, done, again(20, 10), now, nil); return err }},
		{"RecordEvent", of(rows.ListDownloaded), func(by Actor) error {
			return s.RecordEvent(ctx, by, Event{What: rows.ListDownloaded, Object: began.ID})
		}},
		{"RecordEvent", of(rows.AddressesForgotten), func(by Actor) error {
			return s.RecordEvent(ctx, by, Event{What: rows.AddressesForgotten, Detail: "2"})
		}},
		{"DeleteJob", of(rows.ListDeleted), func(by Actor) error { return s.DeleteJob(ctx, by, began.ID) }},
		{"AddWebhook", of(rows.WebhookTested), func(by Actor) (err error) {
			w, err = s.AddWebhook(ctx, by, Webhook{Key: key.ID, URL: "https://hooks.example/a", Event: "test", Body: []byte("{}")})
			return err
		}},
		{"ResendWebhook", of(rows.WebhookResent), func(by Actor) error { _, err := s.ResendWebhook(ctx, by, "", w.ID); return err }},
		{"RotateWebhookSecret", of(rows.WebhookSecretChanged), func(by Actor) error {
			_, err := s.RotateWebhookSecret(ctx, by, key.ID, now)
			return err
		}},
		{"SetUp", of(rows.AccountCreated), func(Actor) error {
			check(t, s.CreateSetupToken(ctx, HashOf("link"), now.Add(time.Hour)))
			_, err := s.SetUp(ctx, HashOf("link"), Account{Login: "first", Password: "$argon2id$"})
			return err
		}},
		{"CreateAccount", of(rows.AccountCreated), func(by Actor) (err error) {
			account, err = s.CreateAccount(ctx, by, Account{Login: "ann", Role: RoleMember, Password: "$argon2id$"})
			return err
		}},
		{"SetRole", of(rows.RoleChanged), func(by Actor) error { return s.SetRole(ctx, by, account.ID, RoleViewer) }},
		{"SetRole", nil, func(by Actor) error { return s.SetRole(ctx, by, account.ID, RoleViewer) }},
		{"SetPassword", of(rows.PasswordChanged), func(by Actor) error { return s.SetPassword(ctx, by, account.ID, "$argon2id$new") }},
		{"Invite", of(rows.Invited), func(by Actor) error {
			_, err := s.Invite(ctx, by, Invitation{Hash: HashOf("for bob"), Login: "bob", Role: RoleViewer, Expires: now.Add(time.Hour)})
			return err
		}},
		{"Join", of(rows.Joined), func(Actor) error {
			_, err := s.Join(ctx, HashOf("for bob"), Account{Login: "bob", Password: "$argon2id$"})
			return err
		}},
		{"Invite", of(rows.Invited), func(by Actor) (err error) {
			invitation, err = s.Invite(ctx, by, Invitation{Hash: HashOf("for cy"), Login: "cy", Role: RoleViewer, Expires: now.Add(time.Hour)})
			return err
		}},
		{"RevokeInvitation", of(rows.InviteRevoked), func(by Actor) error { return s.RevokeInvitation(ctx, by, invitation.ID) }},
		{"CreateSession", of(rows.SignedIn), func(by Actor) error {
			return s.CreateSession(ctx, by, Session{Hash: HashOf("cookie"), Account: account.ID, Expires: now.Add(time.Hour)})
		}},
		{"SignInFailed", of(rows.SignInFailed), func(by Actor) error { return s.SignInFailed(ctx, by, account) }},
		{"EndSession", of(rows.SignedOut), func(by Actor) error { return s.EndSession(ctx, by, HashOf("cookie")) }},
		{"EndSession", nil, func(by Actor) error { return s.EndSession(ctx, by, HashOf("cookie")) }},
		{"RemoveAccount", of(rows.AccountRemoved), func(by Actor) error { return s.RemoveAccount(ctx, by, account.ID, "") }},
	}
}

// TestEveryChangeIsAnEvent calls each method of the store that changes what
// people see, and demands its events, in the name of who did it. A new method
// has to be called here, or named among those without events.
func TestEveryChangeIsAnEvent(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		ann := ByAccount("acc_ann", "ann")
		called, reached, seen := map[string]bool{}, map[What]bool{}, map[string]bool{}
		fresh := func() (all []What) {
			for _, e := range allEvents(t, s) {
				if seen[e.ID] {
					continue
				}
				seen[e.ID] = true
				all = append(all, e.What)
				if e.By != ann && e.By.ID != e.Object { // of a new account
					t.Errorf("%s was done by %v", e.What, e.By)
				}
			}
			return all
		}
		all := deeds(t, s, ctx)
		for _, e := range allEvents(t, s) { // of what is needed for them
			seen[e.ID] = true
		}
		for i, d := range all {
			if err := d.do(ann); err != nil {
				t.Fatalf("%d, %s: %v", i, d.method, err)
			}
			if got := fresh(); !slices.Equal(got, d.want) {
				t.Errorf("%d, %s: the events are %v, want %v", i, d.method, got, d.want)
			}
			called[d.method] = true
			for _, what := range d.want {
				reached[what] = true
			}
		}
		for _, kind := range rows.Whats {
			if !reached[kind.What] {
				t.Errorf("no method makes the event %q", kind.What)
			}
		}
		wantEveryMethod(t, called)
	})
}

func wantEveryMethod(t *testing.T, called map[string]bool) {
	t.Helper()
	store := reflect.TypeFor[*Store]()
	for method := range store.Methods() {
		switch why := eventless[method.Name]; {
		case called[method.Name] == (why != ""):
			t.Errorf("%s: call it in deeds, or say in eventless why it makes no event", method.Name)
		case why != "" && slices.Contains(slices.Collect(method.Type.Ins()), reflect.TypeFor[Actor]()):
			t.Errorf("%s knows who does it, and makes no event: %s", method.Name, why)
		}
	}
}
