package metrics

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// wantLines reports the lines that text has not.
func wantLines(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+text, "\n"+line+"\n") {
			t.Errorf("missing: %s", line)
		}
	}
}

func answer(verdict rcpt.Verdict, reason rcpt.Reason, cached bool) rcpt.Result {
	return rcpt.Result{Verdict: verdict, Reason: reason, Details: &rcpt.Details{Cached: cached}}
}

func TestVerified(t *testing.T) {
	m := newMetrics(t)
	m.Verified(answer(rcpt.VerdictDeliverable, rcpt.ReasonRecipientAccepted, false), 300*time.Millisecond)
	m.Verified(answer(rcpt.VerdictDeliverable, rcpt.ReasonRecipientAccepted, true), 30*time.Microsecond)
	m.Verified(answer(rcpt.VerdictDeliverable, rcpt.ReasonRecipientAccepted, true), 40*time.Microsecond)
	m.Verified(answer(rcpt.VerdictUnknown, rcpt.ReasonMXReservedAddress, false), time.Millisecond)
	m.Verified(answer(rcpt.VerdictUndeliverable, rcpt.ReasonMXReservedAddress, false), time.Millisecond) // its second verdict
	m.Verified(rcpt.Result{Verdict: rcpt.VerdictUnknown}, time.Millisecond)
	wantLines(t, scraped(t, m),
		`rcpt_verifications_total{cached="false",reason="recipient_accepted",result="deliverable"} 1`,
		`rcpt_verifications_total{cached="true",reason="recipient_accepted",result="deliverable"} 2`,
		`rcpt_verifications_total{cached="false",reason="mx_reserved_address",result="unknown"} 1`,
		`rcpt_verifications_total{cached="false",reason="mx_reserved_address",result="undeliverable"} 1`,
		`rcpt_verifications_total{cached="false",reason="other",result="unknown"} 1`,
		`rcpt_verifications_total{cached="true",reason="greylisted",result="unknown"} 0`,
		`rcpt_verification_duration_seconds_count{cached="true"} 2`,
		`rcpt_verification_duration_seconds_count{cached="false"} 4`,
		`rcpt_verification_duration_seconds_bucket{cached="true",le="0.0005"} 2`,
		`rcpt_verification_duration_seconds_bucket{cached="false",le="0.25"} 3`,
		`rcpt_verification_duration_seconds_bucket{cached="false",le="0.5"} 4`,
	)
}

func TestHooks(t *testing.T) {
	m := newMetrics(t)
	hooks := m.Hooks()
	if hooks.Verified != nil {
		t.Error("the engine would count verdicts beside the server")
	}
	hooks.Resolved(t.Context(), dnsresolve.Findings{Lookups: []dnsresolve.Lookup{
		{Type: "MX", Status: dnsresolve.StatusOK, Cached: true}, {Type: "A", Status: dnsresolve.StatusOK}, {Type: "A", Status: dnsresolve.StatusOK},
		{Type: "AAAA", Status: dnsresolve.StatusServFail}, {Type: "TXT", Status: dnsresolve.StatusNoData},
	}}, 20*time.Millisecond)
	hooks.LookedUp(t.Context(), dnsresolve.Lookup{Type: "AAAA", Status: dnsresolve.StatusOK})
	hooks.Probed(t.Context(), smtpprobe.Findings{Sessions: []smtpprobe.Session{
		{Failure: &smtp.Failure{Kind: smtp.KindTimeout}},                                // an exchanger that is silent,
		{Greeting: &smtp.Reply{Code: 554}},                                              // one that does not want us,
		{Target: &smtp.Reply{Code: 250}, Failure: &smtp.Failure{Kind: smtp.KindClosed}}, // and one that answers and hangs up
	}}, 2*time.Second)
	wantLines(t, scraped(t, m),
		`rcpt_dns_lookups_total{cached="true",status="ok",type="MX"} 1`,
		`rcpt_dns_lookups_total{cached="false",status="ok",type="A"} 2`,
		`rcpt_dns_lookups_total{cached="false",status="servfail",type="AAAA"} 1`,
		`rcpt_dns_lookups_total{cached="false",status="ok",type="AAAA"} 1`,
		`rcpt_dns_lookups_total{cached="false",status="nodata",type="other"} 1`,
		`rcpt_smtp_sessions_total{outcome="timeout"} 1`,
		`rcpt_smtp_sessions_total{outcome="rejected"} 1`,
		`rcpt_smtp_sessions_total{outcome="answered"} 1`,
		`rcpt_phase_duration_seconds_count{phase="dns"} 1`,
		`rcpt_phase_duration_seconds_sum{phase="smtp"} 2`,
	)
}

func TestRequests(t *testing.T) {
	m := newMetrics(t)
	for _, status := range []int{200, 200, 401, 503, 0, -700, 99999} {
		m.Request("/api/v1/verify", status, 10*time.Millisecond)
	}
	m.Request("/wp-admin", 404, time.Millisecond)
	for _, why := range []string{"unauthorized", "rate", "rate", "quota", "because"} {
		m.Refused(why)
	}
	wantLines(t, scraped(t, m),
		`rcpt_http_requests_total{route="/api/v1/verify",status="2xx"} 2`,
		`rcpt_http_requests_total{route="/api/v1/verify",status="4xx"} 1`,
		`rcpt_http_requests_total{route="/api/v1/verify",status="5xx"} 1`,
		`rcpt_http_requests_total{route="/api/v1/verify",status="none"} 3`,
		`rcpt_http_requests_total{route="/healthz",status="5xx"} 0`,
		`rcpt_http_requests_total{route="other",status="4xx"} 1`,
		`rcpt_http_request_duration_seconds_count{route="/api/v1/verify"} 7`,
		`rcpt_http_refused_total{cause="unauthorized"} 1`,
		`rcpt_http_refused_total{cause="rate"} 2`,
		`rcpt_http_refused_total{cause="quota"} 1`,
		`rcpt_http_refused_total{cause="concurrency"} 0`,
		`rcpt_http_refused_total{cause="other"} 1`,
	)
}

func TestSources(t *testing.T) {
	config := watchAll()
	now := time.Now()
	config.Engine = func() engine.Stats {
		return engine.Stats{Network: engine.NetworkStatus{Port: engine.Check{State: engine.CheckFailed}}, SMTP: smtpprobe.Stats{Sessions: 7, Idle: 2, UnderWay: 9, Waiting: 11, Hosts: 13, Paused: []smtpprobe.Paused{
			{Provider: "gmail", Egress: "a", Until: now, Interval: time.Second}, {Provider: "gmail", Egress: "b", Until: now},
			{Provider: "yahoo", Interval: time.Second}, {Provider: "192.0.2.1", Until: now}, {Provider: "2001:db8::1", Until: now},
		}}}
	}
	m, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	text := scraped(t, m)
	wantLines(t, text,
		`rcpt_smtp_pool_sessions 7`, `rcpt_smtp_pool_idle_sessions 2`, `rcpt_smtp_pool_probes 9`, `rcpt_smtp_pool_waiting_probes 11`, `rcpt_smtp_pool_hosts 13`,
		`rcpt_smtp_paused{provider="gmail"} 2`, `rcpt_smtp_paused{provider="other"} 2`,
		`rcpt_smtp_slowed{provider="yahoo"} 1`, `rcpt_smtp_slowed{provider="other"} 0`,
		`rcpt_pace_waiting{provider="google"} 120`, `rcpt_pace_waiting{provider="other"} 8`,
		`rcpt_pace_sessions{provider="google"} 5`, `rcpt_pace_sessions{provider="other"} 5`,
		`rcpt_pace_sessions_allowed{provider="google"} 6`, `rcpt_pace_sessions_allowed{provider="other"} 10`,
		`rcpt_pace_limited{cause="harvesting",provider="google"} 1`, `rcpt_pace_limited{cause="blocked",provider="google"} 1`,
		`rcpt_pace_limited{cause="rate_limited",provider="google"} 1`, `rcpt_pace_limited{cause="budget_spent",provider="other"} 1`,
		`rcpt_pace_limited{cause="blocked",provider="other"} 0`,
		`rcpt_egress_up{egress="a"} 1`, `rcpt_egress_up{egress="b"} 0`, `rcpt_egress_up{egress="direct"} 0`,
		`rcpt_egress_sessions{egress="a"} 3`, `rcpt_egress_sessions{egress="direct"} 2`,
		`rcpt_network_check_failed{check="port"} 1`, `rcpt_doctor_checks{state="fault"} 1`, `rcpt_network_check_failed{check="resolver"} 0`,
		`rcpt_admission_running 3`, `rcpt_admission_waiting 1`, `rcpt_admission_limit 1000`,
		`rcpt_cache_hits_total{layer="memory"} 5`, `rcpt_cache_hits_total{layer="store"} 6`, `rcpt_cache_misses_total 7`, `rcpt_cache_entries 8`,
		`rcpt_rechecks_waiting 1`, `rcpt_rechecks_total{outcome="done"} 2`, `rcpt_rechecks_total{outcome="given_up"} 3`,
		`rcpt_rechecks_total{outcome="dropped"} 4`,
		`rcpt_store_queued_writes 1`, `rcpt_store_dropped_writes_total 2`, `rcpt_store_commits_total 3`, `rcpt_store_commit_failures_total 4`,
		`rcpt_store_last_commit_seconds 0.25`, `rcpt_store_connections_in_use 5`, `rcpt_store_connections_open 6`,
		`rcpt_keys 5000`, `rcpt_keys_age_seconds 1.5`,
	)
	for _, part := range []string{`rcpt_build_info{go_version="go`, `version="v1.2.3"} 1`, "\ngo_goroutines ", "\nprocess_cpu_seconds_total "} {
		if !strings.Contains(text, part) {
			t.Errorf("missing: %s", part)
		}
	}
	if strings.Contains(text, "192.0.2.") || strings.Contains(text, "hoster") {
		t.Error("the address of a stranger's host is in a label")
	}
}

// TestNothingWatched: what there is no source for has no metric that would
// stand at zero.
func TestNothingWatched(t *testing.T) {
	m, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	text := scraped(t, m)
	for _, name := range []string{"rcpt_smtp_pool", "rcpt_smtp_paused", "rcpt_pace", "rcpt_admission", "rcpt_cache", "rcpt_rechecks", "rcpt_store", "rcpt_keys"} {
		if strings.Contains(text, name) {
			t.Errorf("there is %s", name)
		}
	}
	wantLines(t, text, `rcpt_http_refused_total{cause="unauthorized"} 0`)
}

// TestOwnRegistry: two of them do not get in each other's way.
func TestOwnRegistry(t *testing.T) {
	first, second := newMetrics(t), newMetrics(t)
	first.Refused("quota")
	wantLines(t, scraped(t, first), `rcpt_http_refused_total{cause="quota"} 1`)
	wantLines(t, scraped(t, second), `rcpt_http_refused_total{cause="quota"} 0`)
}

// TestConventions: names, types and help texts are as Prometheus wants them.
func TestConventions(t *testing.T) {
	m := newMetrics(t)
	m.Hooks().Resolved(t.Context(), dnsresolve.Findings{Lookups: []dnsresolve.Lookup{{}}}, 0)
	m.Hooks().Probed(t.Context(), smtpprobe.Findings{Sessions: []smtpprobe.Session{{}}}, 0)
	problems, err := promlint.New(strings.NewReader(scraped(t, m))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
}

func TestHandlerMethods(t *testing.T) {
	handler := newMetrics(t).Handler()
	for method, status := range map[string]int{http.MethodGet: 200, http.MethodHead: 200, http.MethodPost: 405, http.MethodDelete: 405, "BREW": 405} {
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, httptest.NewRequest(method, "/metrics", nil))
		if response.Code != status {
			t.Errorf("%s: status %d, want %d", method, response.Code, status)
		}
	}
}
