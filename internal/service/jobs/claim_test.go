//go:build unix

package jobs

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// forgetful is a store that is away when a claim is to be taken back.
type forgetful struct{ *store.Store }

func (forgetful) ForgetJobRequest(context.Context, string, rows.JobRequest, time.Time) error {
	return rows.ErrUnavailable
}

// TestClaimEndsWithItsRequest: a request is in progress as long as it takes,
// and half a minute more at most, also if its claim cannot be taken back.
func TestClaimEndsWithItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := forgetful{openStore(t, store.Options{DataDir: t.TempDir()})}
		n := newNode(t, s.Store, Config{Store: s, Verifier: &hosts{}})
		request := rows.JobRequest{Owner: "acme", Token: rows.HashOf("token")}
		claim, err := n.Claim(t.Context(), request)
		check(t, err)
		for range 3 {
			time.Sleep(requestLease)
			if _, err := n.Claim(t.Context(), request); !errors.Is(err, rows.ErrInProgress) {
				t.Errorf("while it is in progress: %v", err)
			}
		}
		claim.End(false)
		time.Sleep(requestLease + time.Second)
		claim, err = n.Claim(t.Context(), request)
		if check(t, err); claim.Job != "" {
			t.Errorf("it has led to %s", claim.Job)
		}
		request.Body = rows.HashOf("body")
		j, err := n.Create(t.Context(), n.receive("a@one.example\n"), Request{By: rows.ByCommand("test"), Owner: "acme", Token: &request})
		check(t, err)
		claim.End(true)
		time.Sleep(2 * requestLease)
		if again, err := n.Claim(t.Context(), request); err != nil || again.Job != j.ID || again.Body != request.Body {
			t.Errorf("the same again: %+v, %v", again, err)
		}
	})
}

// TestClaimsOfTwoRequests: of two with a token of which the first was silent
// for too long, one makes a job.
func TestClaimsOfTwoRequests(t *testing.T) {
	s := openStore(t, store.Options{DataDir: t.TempDir()})
	n := newNode(t, s, Config{Verifier: &hosts{}})
	request := rows.JobRequest{Owner: "acme", Token: rows.HashOf("token")}
	past := time.Now().Add(-time.Second)
	_, _, err := s.ClaimJobRequest(t.Context(), n.node, request, past)
	check(t, err)
	claim, err := n.Claim(t.Context(), request)
	check(t, err)
	check(t, s.ForgetJobRequest(t.Context(), n.node, request, past)) // too late
	if err := s.RenewJobRequest(t.Context(), n.node, request, past, time.Now()); !errors.Is(err, rows.ErrLeaseLost) {
		t.Errorf("renewed: %v", err)
	}
	made := 0
	for range 2 {
		_, err := n.Create(t.Context(), n.receive("a@one.example\n"), Request{By: rows.ByCommand("test"), Owner: "acme", Token: &request})
		switch {
		case err == nil:
			made++
		case !errors.Is(err, rows.ErrLeaseLost):
			t.Error(err)
		}
	}
	claim.End(true)
	if made != 1 {
		t.Errorf("%d jobs are made", made)
	}
}
