package main

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/dashboard"
)

// signInFlags let a reverse proxy sign people in to the dashboard.
type signInFlags struct {
	AuthHeader       headerName  `placeholder:"NAME" help:"Header in which a proxy of --trusted-proxy says who is signed in, such as X-Forwarded-User or Remote-User. Nobody has a password then."`
	AuthRole         accountRole `placeholder:"ROLE" default:"viewer" help:"Role of people whom --auth-header names for the first time: viewer, member or admin. Default: ${default}."`
	AuthGroupsHeader headerName  `placeholder:"NAME" help:"Header with their groups, such as X-Forwarded-Groups or Remote-Groups, which decide the role each time."`
	AuthGroup        []groupRole `placeholder:"ROLE=GROUP" help:"Role of people in a group of --auth-groups-header; of several the highest; repeatable. Without one: --auth-role."`
	AuthSignOut      string      `placeholder:"URL" help:"Where people sign out of the proxy, such as /oauth2/sign_out; the page after a sign-out leads there."`
}

// signInProxy is the proxy that signs people in; nil: none does.
func (f signInFlags) signInProxy(trusted []netip.Prefix) (*dashboard.SignInProxy, error) {
	switch {
	case f.AuthHeader == "" && (f.AuthGroupsHeader != "" || len(f.AuthGroup) > 0 || f.AuthSignOut != ""):
		return nil, errors.New("--auth-groups-header, --auth-group and --auth-sign-out need --auth-header")
	case f.AuthHeader == "":
		return nil, nil
	case len(trusted) == 0:
		return nil, errors.New("--auth-header needs --trusted-proxy: the address of the proxy, which alone is believed")
	case (f.AuthGroupsHeader == "") != (len(f.AuthGroup) == 0):
		return nil, errors.New("--auth-groups-header and --auth-group need each other")
	}
	for _, network := range trusted {
		if network.Bits() < 7 { // fc00::/7 is the widest that is private
			const format = "--auth-header with --trusted-proxy %s would believe everybody: " +
				"name the address of the proxy alone"
			return nil, fmt.Errorf(format, network)
		}
	}
	p := &dashboard.SignInProxy{
		Trusted: trusted, Header: string(f.AuthHeader), Role: store.Role(f.AuthRole),
		GroupsHeader: string(f.AuthGroupsHeader), Roles: map[string]store.Role{}, SignOut: f.AuthSignOut,
	}
	for _, g := range f.AuthGroup {
		if !store.Role(g.role).Includes(p.Role) {
			// A client can have some proxies drop the groups, by naming
			// their header in "Connection" (RFC 9110 §7.6.1).
			const format = "--auth-group %s=%s gives less than --auth-role %s: " +
				"lower that, as whoever hides their groups has it"
			return nil, fmt.Errorf(format, g.role, g.group, p.Role)
		}
		p.Roles[g.group] = store.Role(g.role)
	}
	return p, nil
}

// headerName is the name of a header field.
type headerName string

func (h *headerName) UnmarshalText(text []byte) error {
	if !httpguts.ValidHeaderFieldName(string(text)) {
		return fmt.Errorf("%q is not the name of a header, such as X-Forwarded-User", text)
	}
	*h = headerName(text)
	return nil
}

type accountRole store.Role

func (r *accountRole) UnmarshalText(text []byte) error {
	if !store.RoleAdmin.Includes(store.Role(text)) {
		return fmt.Errorf("%q is not a role: use viewer, member or admin", text)
	}
	*r = accountRole(text)
	return nil
}

// groupRole is the role of a group.
type groupRole struct {
	group string
	role  accountRole
}

func (g *groupRole) UnmarshalText(text []byte) error {
	name, group, found := strings.Cut(string(text), "=")
	*g = groupRole{group: group}
	if !found || group == "" || g.role.UnmarshalText([]byte(name)) != nil {
		return fmt.Errorf("%q is not a role and its group: write for example member=mail-team", text)
	}
	return nil
}
