package store

import (
	"fmt"
	"slices"
)

// Role says what an account may do. Each role may do what those before it may.
type Role string

// The roles, the least first.
const (
	RoleViewer Role = "viewer" // sees results and usage, and changes nothing but its password
	RoleMember Role = "member" // also checks, and has keys and lists of its own
	RoleAdmin  Role = "admin"  // also changes what belongs to others, people and settings
)

// Roles returns all roles, the least first.
func Roles() []Role { return []Role{RoleViewer, RoleMember, RoleAdmin} }

// Includes reports whether the role may do what the other may. A text that is
// no role includes none and is included in none.
func (r Role) Includes(other Role) bool {
	least := slices.Index(Roles(), other)
	return least >= 0 && slices.Index(Roles(), r) >= least
}

func checkRole(r Role) error {
	if !slices.Contains(Roles(), r) {
		return fmt.Errorf("%w: %q is not a role: use viewer, member or admin", ErrInvalid, string(r))
	}
	return nil
}
