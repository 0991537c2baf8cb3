//go:build browser

package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/rcpt/rcpt/internal/service/web/openapi"
)

// request is the part of the viewer that has the form of an operation.
const request = `document.querySelector("rapi-doc").shadowRoot.querySelector("api-request")?.shadowRoot`

// focus is what the viewer of the contract shows.
const focus = `document.querySelector("rapi-doc").focusedElementId`

// settled is when the viewer has read the contract.
var settled = chromedp.Poll[chromedp.Void](`document.querySelector("rapi-doc")?.resolvedSpec?.tags?.length > 3 && ` +
	`document.querySelector("rapi-doc").loading === false && document.querySelector("rapi-doc").shadowRoot.querySelector(".nav-bar") !== null`)

// TestReference is a reader of the API page: it is whole without any other
// server, links of other pages lead to their sections, and a request goes to
// this server alone, with the key.
func TestReference(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	mux := http.NewServeMux()
	for path, serve := range openapi.Routes(func(r *http.Request) openapi.Site { return openapi.Site{Base: "http://" + r.Host, Dashboard: true} }) {
		mux.HandleFunc(path, serve)
	}
	mux.HandleFunc("GET /api/v1/verify", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.Header.Get("X-API-Key")+" "+r.URL.Query().Get("email"))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"email":"alice@acme.example","result":"deliverable"}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	ctx := newBrowser(t)

	do(t, ctx, chromedp.Navigate(server.URL+"/docs#createJob"), settled)
	do(t, ctx, chromedp.Poll[chromedp.Void](focus+` === "post-/api/v1/bulk"`))
	do(t, ctx, chromedp.Poll[chromedp.Void](request+`?.querySelector("input[type=file]") != null`))
	anchors := eval[map[string]string](t, ctx, `JSON.parse(document.querySelector("rapi-doc").dataset.anchors)`)
	sections := openapi.Sections()
	if len(sections) < 40 {
		t.Fatalf("%d sections", len(sections))
	}
	for _, s := range sections {
		there := anchors[s.ID]
		do(t, ctx, chromedp.Evaluate[chromedp.Void](fmt.Sprintf("location.hash = %q", "#"+s.ID)),
			chromedp.Poll[chromedp.Void](fmt.Sprintf(`document.querySelector("rapi-doc").shadowRoot.getElementById(%q) !== null`, there)))
	}

	do(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelector("rapi-doc").setApiKey("header", "rcpt_secret")`),
		chromedp.Evaluate[chromedp.Void](`location.hash = "#verify"`), chromedp.Poll[chromedp.Void](focus+` === "get-/api/v1/verify"`),
		chromedp.Poll[chromedp.Void](request+`?.querySelector("button[part~=btn-try]") != null`),
		chromedp.Evaluate[chromedp.Void](request+`.querySelector("button[part~=btn-try]").click()`),
		chromedp.Poll[chromedp.Void](request+`.textContent.includes("200")`))
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(asked, []string{"rcpt_secret alice@acme.example"}) {
		t.Errorf("the server was asked %q", asked)
	}
	if stored := eval[int](t, ctx, `localStorage.length`); stored != 0 {
		t.Error("the key is kept")
	}
	if elsewhere := eval[string](t, ctx, `fetch("http://127.0.0.2:9/").then(() => "sent", error => error.name + (performance.getEntriesByName("http://127.0.0.2:9/").length))`); !strings.HasPrefix(elsewhere, "TypeError") {
		t.Errorf("a request to another server: %s", elsewhere)
	}
	if faults := eval[[]string](t, ctx, `performance.getEntriesByType("resource").map(e => e.name).filter(n => !n.startsWith(location.origin) && !n.includes("127.0.0.2"))`); len(faults) > 0 {
		t.Errorf("fetched from elsewhere: %v", faults)
	}
}

// TestReferencePictures looks at the page in both themes and four widths.
func TestReferencePictures(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site := openapi.Site{Base: "http://" + r.Host, Dashboard: true, Theme: r.URL.Query().Get("theme")}
		openapi.Routes(func(*http.Request) openapi.Site { return site })[r.URL.Path](w, r)
	}))
	t.Cleanup(server.Close)
	ctx := newBrowser(t)
	for name, anchor := range map[string]string{"api-start": "", "api-operation": "#verifyPosted"} {
		for _, theme := range []string{"light", "dark"} {
			a := album{name: name}
			do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(server.URL+"/docs?theme="+theme+anchor), settled)
			for _, width := range []int64{1280, 768, 390, 360} {
				do(t, ctx, chromedp.EmulateViewport(width, 800))
				a.measure(t, ctx, width)
				if *images != "" && (width == 1280 || width == 390) {
					a.keep(t, ctx, fmt.Sprintf("%s-%s-%d.png", a.name, theme, width))
				}
			}
		}
	}
}
