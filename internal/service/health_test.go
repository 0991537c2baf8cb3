package service

import (
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
)

// TestHealthJSON: /health shows an egress that is down or leaves, and names no
// domain of a stranger.
func TestHealthJSON(t *testing.T) {
	down := asEgressJSON(smtpprobe.Egress{Down: true, Fault: "refused", Said: []smtpprobe.Said{{Provider: "google"}, {Provider: "acme.example"}, {Provider: "b.example"}}})
	if down.Name != "direct" || down.Up || down.Fault != "refused" || len(down.Said) != 2 || down.Said[0].Provider != "google" || down.Said[1].Provider != "other" {
		t.Errorf("%+v", down)
	}
	if leaving := asEgressJSON(smtpprobe.Egress{Leaving: true}); leaving.Up || !leaving.Leaving {
		t.Errorf("%+v", leaving)
	}
}
