package main

import (
	"net/netip"
	"testing"
)

// TestSignInProxy: the server does not start where a header could be anybody's,
// or where a part is missing.
func TestSignInProxy(t *testing.T) {
	group := []groupRole{{"ops", "admin"}}
	header := signInFlags{AuthHeader: "Remote-User", AuthRole: "viewer"}
	groups := signInFlags{AuthHeader: "Remote-User", AuthRole: "viewer", AuthGroupsHeader: "Remote-Groups", AuthGroup: group}
	for _, c := range []struct {
		about   string
		flags   signInFlags
		trusted string // empty: nobody
		starts  bool
	}{
		{"no header", signInFlags{}, "", true},
		{"a proxy", header, "127.0.0.1/32", true},
		{"groups", groups, "10.0.0.0/8", true},
		{"the widest private network", header, "fc00::/7", true},
		{"nobody is trusted", header, "", false},
		{"everybody", header, "0.0.0.0/0", false},
		{"everybody with IPv6", header, "::/0", false},
		{"half of all", header, "128.0.0.0/1", false},
		{"groups without a header for them", signInFlags{AuthHeader: "Remote-User", AuthGroup: group}, "127.0.0.1/32", false},
		{"groups without a role", signInFlags{AuthHeader: "Remote-User", AuthGroupsHeader: "Remote-Groups"}, "127.0.0.1/32", false},
		{"a group that takes away", signInFlags{AuthHeader: "Remote-User", AuthRole: "admin", AuthGroupsHeader: "Remote-Groups",
			AuthGroup: []groupRole{{"contractors", "member"}}}, "127.0.0.1/32", false},
		{"a sign-out without a header", signInFlags{AuthSignOut: "/bye"}, "127.0.0.1/32", false},
	} {
		var trusted []netip.Prefix
		if c.trusted != "" {
			trusted = append(trusted, netip.MustParsePrefix(c.trusted))
		}
		p, err := c.flags.signInProxy(trusted)
		if (err == nil) != c.starts || (p != nil) != (c.starts && c.flags.AuthHeader != "") {
			t.Errorf("%s: %+v, %v", c.about, p, err)
		}
	}
}
