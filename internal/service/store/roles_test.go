package store

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRolesInclude: each role may do what the lesser ones may, and a text that
// is no role may do nothing.
func TestRolesInclude(t *testing.T) {
	all := append(Roles(), "", "owner")
	for i, r := range all {
		for j, other := range all {
			if want := i < len(Roles()) && j <= i; r.Includes(other) != want {
				t.Errorf("%q includes %q: %v", r, other, !want)
			}
		}
	}
}

// TestEarlierAccountsAreAdmins: an account of an earlier version could do
// everything, and still may.
func TestEarlierAccountsAreAdmins(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		steps, err := migrations()
		check(t, err)
		before := slices.IndexFunc(steps, func(m migration) bool { return strings.HasSuffix(m.name, "_roles.sql") })
		db, err := connect(t.Context(), o)
		check(t, err)
		check(t, db.migrateTo(t.Context(), steps[:before], time.Now()))
		_, err = db.writer.ExecContext(t.Context(), `INSERT INTO accounts (id, login, password, created) VALUES ('acc_1', 'ann', 'x', 1)`)
		check(t, err)
		check(t, db.close())
		ann, err := open(t, o).AccountByLogin(t.Context(), "ann")
		check(t, err)
		if ann.Role != RoleAdmin {
			t.Errorf("the role is %q", ann.Role)
		}
	})
}
