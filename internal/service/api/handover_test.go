package api_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/testkit"
)

// TestKeyThatWasHandedOver: it goes on with the lists that it saw before, and
// sees none of the admin who got it.
func TestKeyThatWasHandedOver(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	person := func(login string, role store.Role) store.Account {
		t.Helper()
		a, err := l.store.CreateAccount(t.Context(), store.ByCommand("test"), store.Account{Login: login, Role: role, Password: "x"})
		check(t, err)
		return a
	}
	ada, ben := person("ada", store.RoleAdmin), person("ben", store.RoleMember)
	hers, his := l.key(store.Key{Name: "hers", Account: ada.ID}), l.key(store.Key{Name: "his", Account: ben.ID})
	send := func(key string) string {
		t.Helper()
		return l.want(l.send(http.MethodPost, "/api/v1/bulk", key, "a@a.example\n", "Content-Type", csvType), http.StatusAccepted).ID
	}
	herList, hisList := send(hers), send(his)
	check(t, l.store.RemoveAccount(t.Context(), store.ByCommand("test"), ben.ID, ada.ID))
	testkit.Eventually(t, "the server knows it", func() bool {
		return !slices.ContainsFunc(l.keys.List(), func(k store.Key) bool { return k.Account == ben.ID })
	})
	for _, c := range []struct {
		key, list string
		status    int
	}{{his, hisList, 200}, {his, send(his), 200}, {his, herList, 404}, {hers, herList, 200}, {hers, hisList, 404}} {
		l.want(l.send(http.MethodGet, "/api/v1/bulk/"+c.list, c.key, ""), c.status)
	}
}
