//go:build e2e && linux

package e2e

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// What the situations add to the files of the servers.

// appendTo appends text to a file of the root.
func (r *root) appendTo(name, text string) error {
	file, err := os.OpenFile(r.path(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if closing := file.Close(); err == nil {
		err = closing
	}
	return err
}

// zone is what the situations add to example.zone.
func (all situations) zone() string {
	var b strings.Builder
	for _, server := range []string{"postfix", "exim", "opensmtpd", "scripted"} {
		for _, s := range all[server] {
			fmt.Fprintf(&b, "$ORIGIN %s.\n@ MX 10 %s.\n* MX 10 %s.\n", s.domain(), s.host(), s.host())
			if strings.HasSuffix(s.host(), ".example") {
				fmt.Fprintf(&b, "%s. A %s\n", s.host(), s.ip)
			}
		}
	}
	for _, s := range all["dns"] {
		fmt.Fprintf(&b, "$ORIGIN %s.\n", s.domain())
		if s.faulty() {
			fmt.Fprintf(&b, "@ NS ns\nns A %s\n", s.ip)
			continue
		}
		for _, line := range s.config {
			b.WriteString(generate(line))
		}
	}
	return b.String()
}

// localData are the names of hosts outside the world's top-level domain, in the
// words of unbound.conf.
func (all situations) localData() string {
	var b strings.Builder
	for _, s := range all["scripted"] {
		if !strings.HasSuffix(s.host(), ".example") {
			fmt.Fprintf(&b, "local-data: \"%s. A %s\"\n", s.host(), s.ip)
		}
	}
	return b.String()
}

// generate writes out a line "$GENERATE 1-3 text with $", which NSD does not
// know; other lines it leaves alone.
func generate(line string) string {
	words := strings.SplitN(line, " ", 3)
	if words[0] != "$GENERATE" || len(words) < 3 {
		return line + "\n"
	}
	first, last, _ := strings.Cut(words[1], "-")
	from, _ := strconv.Atoi(first)
	to, _ := strconv.Atoi(last)
	var b strings.Builder
	for n := from; n <= to; n++ {
		b.WriteString(strings.ReplaceAll(words[2], "$", strconv.Itoa(n)) + "\n")
	}
	return b.String()
}

// master is what they add to Postfix's master.cf: an smtpd for each, or a
// postscreen in front of it.
func (all situations) master() string {
	var b strings.Builder
	for _, s := range all["postfix"] {
		service, settings := "smtpd", "  -o myhostname="+s.host()+"\n"
		for _, line := range s.config {
			if line == "pass" {
				service = "postscreen"
				settings += "  -o smtpd_service_name=" + s.name() + "\n" +
					"  -o postscreen_cache_map=btree:$data_directory/" + s.name() + "\n"
				fmt.Fprintf(&b, "%s pass - - n - - smtpd\n  -o myhostname=%s\n", s.name(), s.host())
				continue
			}
			settings += "  -o { " + line + " }\n"
		}
		processes := map[string]string{"smtpd": "-", "postscreen": "1"}[service]
		fmt.Fprintf(&b, "%s:smtp inet n - n - %s %s\n%s", s.ip, processes, service, settings)
	}
	return b.String()
}

// smtpd is what they add to OpenSMTPD's smtpd.conf.
func (all situations) smtpd() string {
	var b strings.Builder
	for _, s := range all["opensmtpd"] {
		b.WriteString(strings.Join(s.config, "\n") + "\n")
	}
	return b.String()
}
