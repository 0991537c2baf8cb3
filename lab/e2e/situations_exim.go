//go:build e2e && linux

package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// eximParts are the headings within a situation of Exim's table, and the access
// control list that each is.
var eximParts = []string{"connect", "helo", "mail", "rcpt", "router", "main"}

// parts cuts a situation's lines at the headings.
func (s *situation) parts() map[string]string {
	parts, part := map[string]string{}, "rcpt"
	for _, line := range s.config {
		if name := strings.TrimSuffix(line, ":"); name+":" == line && slices.Contains(eximParts, name) {
			part = name
			continue
		}
		parts[part] += line + "\n"
	}
	return parts
}

// startEximSituations starts one Exim for most situations, and one for each of
// those that change its main configuration.
func (w *world) startEximSituations(r *root) error {
	template, err := os.ReadFile(r.path("etc/exim4/situations.conf"))
	if err != nil {
		return err
	}
	if err := r.appendTo("etc/exim4/situation-acls", w.situations.eximACLs()); err != nil {
		return err
	}
	shared, waitFor := []string{}, []string{}
	for _, s := range w.situations["exim"] {
		waitFor = append(waitFor, s.ip.String()+":25")
		main := s.parts()["main"]
		if main == "" {
			shared = append(shared, s.ip.String())
			continue
		}
		config := w.situations.eximConfig(string(template), s.ip.String(), s.name(), main)
		if err := w.startEximSituation(r, s.name(), config); err != nil {
			return err
		}
	}
	config := w.situations.eximConfig(string(template), strings.Join(shared, " : "), "s_shared", "")
	if err := w.startEximSituation(r, "s_shared", config); err != nil {
		return err
	}
	return w.awaitListening(waitFor...)
}

func (w *world) startEximSituation(r *root, name, config string) error {
	spool := "var/spool/" + name
	if err := os.MkdirAll(r.path(spool), 0o750); err != nil {
		return err
	}
	if err := os.Chown(r.path(spool), uidExim, uidExim); err != nil {
		return err
	}
	file := "etc/exim4/" + name + ".conf"
	if err := r.appendTo(file, config); err != nil {
		return err
	}
	return r.start("exim-"+name, "/usr/sbin/exim4", "-bdf", "-C", "/"+file)
}

// eximACLs is the table from an access control list's name, "rcpt-127.3.0.1",
// to what is configured as that.
func (all situations) eximACLs() string {
	var b strings.Builder
	for _, s := range all["exim"] {
		parts := s.parts()
		for _, part := range []string{"connect", "helo", "mail", "rcpt"} {
			if parts[part] != "" {
				fmt.Fprintf(&b, "%s-%s: %s_%s\n", part, s.ip, s.name(), part)
			}
		}
	}
	return b.String()
}

// eximConfig completes the template: the main options of one daemon, in place
// of its own of the same names, and all lists and routers.
func (all situations) eximConfig(template, interfaces, name, main string) string {
	main = fmt.Sprintf("local_interfaces = %s\nspool_directory = /var/spool/%s\n", interfaces, name) + main
	for line := range strings.Lines(main) {
		option, _, _ := strings.Cut(line, "=")
		template = dropOption(template, strings.TrimSpace(option))
	}
	lists, routers := "begin acl\n", "begin routers\n"
	for _, s := range all["exim"] {
		parts := s.parts()
		for _, part := range []string{"connect", "helo", "mail", "rcpt"} {
			if parts[part] != "" {
				lists += fmt.Sprintf("%s_%s:\n%s", s.name(), part, parts[part])
			}
		}
		routers += parts["router"]
	}
	template = strings.Replace(template, "begin acl\n", main+lists, 1)
	return strings.Replace(template, "begin routers\n", routers, 1)
}

// dropOption removes the line that sets a main option.
func dropOption(config, option string) string {
	var b strings.Builder
	for line := range strings.Lines(config) {
		if !strings.HasPrefix(line, option+" =") {
			b.WriteString(line)
		}
	}
	return b.String()
}
