package docs_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/docs"
	"github.com/rcpt/rcpt/internal/list"
)

// theirs are the values of the fields of each service, from the sources that
// the page names.
var theirs = map[string]map[string]string{
	"Reacher": {
		"is_reachable": "invalid unknown safe risky",
		"syntax":       "is_valid_syntax",
		"mx":           "accepts_mail",
		"smtp":         "can_connect_smtp has_full_inbox is_catch_all is_deliverable is_disabled",
		"misc":         "is_disposable is_role_account gravatar_url haveibeenpwned",
	},
	"ZeroBounce": {
		"status": "valid invalid catch-all unknown spamtrap abuse do_not_mail",
		"sub_status": "antispam_system greylisted mail_server_temporary_error forcible_disconnect " +
			"mail_server_did_not_respond timeout_exceeded failed_smtp_connection mailbox_quota_exceeded " +
			"exception_occurred possible_trap role_based global_suppression mailbox_not_found no_dns_entries " +
			"failed_syntax_check possible_typo unroutable_ip_address leading_period_removed does_not_accept_mail " +
			"alias_address role_based_catch_all disposable toxic alternate mx_forward blocked allowed accept_all " +
			"role_based_accept_all gold",
	},
	"Kickbox": {
		"result": "deliverable undeliverable risky unknown",
		"reason": "invalid_email invalid_domain rejected_email accepted_email low_quality low_deliverability " +
			"no_connect timeout invalid_smtp unavailable_smtp unexpected_error",
	},
	"NeverBounce": {
		"result": "valid invalid disposable catchall unknown",
		"flags": "has_dns has_dns_mx bad_syntax free_email_host profanity role_account disposable_email " +
			"government_host academic_host military_host international_host squatter_host spelling_mistake bad_dns " +
			"temporary_dns_error connect_fails accepts_all contains_alias contains_subdomain smtp_connectable " +
			"spamtrap_network",
	},
	"AfterShip's service": {
		"reachable": "yes no unknown",
		"smtp":      "host_exists full_inbox catch_all deliverable disabled",
	},
	"Bouncify": {
		"result":     "deliverable undeliverable unknown accept-all",
		"accept_all": "1 2", "role": "1", "free_email": "1", "disposable": "1", "spamtrap": "1",
	},
	"SnapValid": {
		"result":     "deliverable undeliverable accept-all unknown",
		"accept_all": "1", "role": "1", "free_email": "1", "disposable": "1", "spamtrap": "1",
	},
}

// row is a row of a table of values.
type row struct{ field, value, result, reasons, flag, action string }

// rows are those of the table of values in a part of the page.
func rows(t *testing.T, part string) (all []row) {
	t.Helper()
	_, table, _ := strings.Cut(part, "| field | value |")
	for _, line := range strings.Split(table, "\n")[2:] {
		if line == "" {
			break
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i, cell := range cells {
			cells[i] = strings.Trim(strings.TrimSuffix(strings.TrimSpace(cell), " false"), "`")
		}
		if len(cells) != 7 {
			t.Fatalf("%d cells: %s", len(cells), line)
		}
		all = append(all, row{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]})
	}
	return all
}

// sections are the parts of the page, by their headings.
func sections(t *testing.T) map[string]string {
	t.Helper()
	page, err := docs.Files.ReadFile("switching.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for _, part := range strings.Split(string(page), "\n## ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		parts[name] = text
	}
	return parts
}

// TestSwitchingHasEachValue: the page has each value of each service once, and
// no others.
func TestSwitchingHasEachValue(t *testing.T) {
	parts := sections(t)
	if got, want := slices.Sorted(maps.Keys(parts)), slices.Sorted(maps.Keys(theirs)); !slices.Equal(got, want) {
		t.Fatalf("services %q, want %q", got, want)
	}
	for name, fields := range theirs {
		var want, got []string
		for field, values := range fields {
			for value := range strings.FieldsSeq(values) {
				want = append(want, field+" "+value)
			}
		}
		for _, r := range rows(t, parts[name]) {
			got = append(got, r.field+" "+r.value)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s has\n%q, want\n%q", name, got, want)
		}
	}
}

// TestSwitchingHasOurWords: what the page says of a value is what rcpt says of
// the reasons beside it: the result, and with the flag the action.
func TestSwitchingHasOurWords(t *testing.T) {
	for name, text := range sections(t) {
		for _, is := range rows(t, text) {
			if is.reasons == "–" {
				if is.result != "–" || is.action != "–" {
					t.Errorf("%s, %s: without a reason it has %q and %q", name, is.value, is.result, is.action)
				}
				continue
			}
			for _, reason := range strings.Split(is.reasons, "`, `") {
				r := rcpt.Result{Reason: rcpt.Reason(reason), Verdict: rcpt.Reason(reason).Verdict()}
				switch is.flag {
				case "disposable":
					r.Disposable = true
				case "role", "free_email", "spamtrap", "":
				default:
					t.Errorf("%s, %s: %q is no flag", name, is.value, is.flag)
				}
				if got := string(r.Verdict); got != is.result {
					t.Errorf("%s, %s: %s is %q, not %q", name, is.value, reason, got, is.result)
				}
				if got := string(r.Action()); got != is.action {
					t.Errorf("%s, %s: %s is to %q, not %q", name, is.value, reason, got, is.action)
				}
			}
		}
	}
}

// TestSwitchingHasWordsOfFiles: a word that is read in the files of a service
// is on the page, too.
func TestSwitchingHasWordsOfFiles(t *testing.T) {
	seen := 0
	for _, s := range list.Services() {
		fields, ok := theirs[s.Name]
		if !ok {
			continue
		}
		seen++
		all := strings.Fields(strings.Join(slices.Collect(maps.Values(fields)), " "))
		for words := range s.Words {
			for word := range strings.SplitSeq(words, "/") {
				if !slices.Contains(all, word) {
					t.Errorf("%s: %s is not on the page", s.Name, words)
				}
			}
		}
	}
	if seen != 5 {
		t.Errorf("%d services have files", seen)
	}
}
