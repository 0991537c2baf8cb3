package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/testkit"
)

// jobsOf runs "rcpt jobs --json" beside servers.
func jobsOf(ctx context.Context, t *testing.T, environment []string, args ...string) (all []jobLine) {
	t.Helper()
	command := exec.CommandContext(ctx, "rcpt", append(append([]string{"jobs"}, args...), "--json")...)
	command.Env = append(os.Environ(), environment...)
	out, err := command.Output()
	check(t, err)
	for decoder := json.NewDecoder(strings.NewReader(string(out))); decoder.More(); {
		var j jobLine
		check(t, decoder.Decode(&j))
		all = append(all, j)
	}
	return all
}

// TestListsOfARevokedKey: they are paused, nobody can reach them with the key,
// and the operator sees, resumes, cancels and deletes them.
func TestListsOfARevokedKey(t *testing.T) {
	t.Parallel()
	environment := append(startWorld(t), "RCPT_DATA="+t.TempDir())
	keys := keysOf{environment}
	key := keys.mustCreate(t, "--name", "stolen", "--scope", "bulk")
	// Nothing answers at that port: the addresses are asked about again later.
	n := startNode(t, environment, "--resolver", "127.0.0.1:1", "--network-check", "off")
	upload := func(secret string) (made jobState) {
		t.Helper()
		a, err := n.request(t.Context(), http.MethodPost, "/api/v1/bulk", secret, "a@one.example\nb@two.example\n")
		check(t, err)
		if check(t, json.Unmarshal([]byte(a.body), &made)); a.status != http.StatusAccepted {
			t.Fatalf("%d %s", a.status, a.body)
		}
		return made
	}
	made := upload(key.Key)
	in := func(state string) {
		t.Helper()
		testkit.Eventually(t, "the list is "+state, func() bool {
			all := jobsOf(t.Context(), t, environment, "list", "--state", state, "--key", key.ID)
			return len(all) == 1 && all[0].ID == made.ID && all[0].Key == key.ID
		})
	}
	in("running")
	check(t, keys.revoke(t.Context(), key.ID))
	in("paused")
	if all := jobsOf(t.Context(), t, environment, "list"); all[0].Problem == "" {
		t.Errorf("it does not say why: %+v", all)
	}
	testkit.Eventually(t, "the key is refused", func() bool {
		a, err := n.get(t.Context(), "/api/v1/bulk/"+made.ID, key.Key)
		return err == nil && a.status == http.StatusUnauthorized
	})
	jobsOf(t.Context(), t, environment, "resume", made.ID)
	in("running")
	jobsOf(t.Context(), t, environment, "pause", made.ID)
	in("paused")
	jobsOf(t.Context(), t, environment, "cancel", made.ID)
	in("cancelled")
	jobsOf(t.Context(), t, environment, "delete", made.ID)
	if all := jobsOf(t.Context(), t, environment, "list"); len(all) > 0 {
		t.Errorf("there are %+v", all)
	}

	key = keys.mustCreate(t, "--name", "another", "--scope", "bulk")
	testkit.Eventually(t, "the key is taken up", func() bool {
		a, err := n.get(t.Context(), "/api/v1/bulk", key.Key)
		return err == nil && a.status == http.StatusOK
	})
	made = upload(key.Key)
	_, err := keys.run(t.Context(), "revoke", "--cancel-lists", key.ID)
	check(t, err)
	in("cancelled")
}
