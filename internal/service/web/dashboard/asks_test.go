package dashboard

import (
	"net/http"
	"strings"
	"testing"
)

// TestAbout: anybody can read who asks and how to object, if the operator says
// whom to write to. The page says nothing else of the server.
func TestAbout(t *testing.T) {
	for contact, link := range map[string]string{
		"postmaster@acme.example":    `href="mailto:postmaster@acme.example"`,
		"https://acme.example/abuse": `href="https://acme.example/abuse"`,
	} {
		w := newWorld(t, func(c *Config) { c.Asker = &Asker{"verifier.acme.example", "bounce@acme.example", contact} })
		w.setUp(t)
		for _, client := range []*http.Client{w.client, w.browser()} {
			request, _ := http.NewRequest(http.MethodGet, w.server.URL+aboutPath, nil)
			a := w.do(t, client, request)
			if a.StatusCode != http.StatusOK || !strings.Contains(a.body, "EHLO verifier.acme.example") ||
				!strings.Contains(a.body, link) || !strings.Contains(a.body, "bounce@acme.example") {
				t.Errorf("%d\n%s", a.StatusCode, a.body)
			}
			if client != w.client && strings.Contains(a.body, testLogin) {
				t.Errorf("it has a login:\n%s", a.body)
			}
		}
		request, _ := http.NewRequest(http.MethodGet, w.server.URL+"/sign-in", nil)
		if a := w.do(t, w.browser(), request); !strings.Contains(a.body, `href="`+aboutPath+`"`) {
			t.Error("the way in does not lead there")
		}
	}
	w := newWorld(t, nil)
	request, _ := http.NewRequest(http.MethodGet, w.server.URL+aboutPath, nil)
	if a := w.do(t, w.browser(), request); a.StatusCode != http.StatusNotFound {
		t.Errorf("without a contact: %d", a.StatusCode)
	}
}
