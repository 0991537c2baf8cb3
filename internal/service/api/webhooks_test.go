package api_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/store"
)

// outbox is a [api.WebhookStore] that keeps nothing, or fails.
type outbox struct {
	asked []store.WebhookQuery
	added []store.Webhook
	err   error
}

var sent = store.Webhook{ID: "msg_1", Event: "job.completed", URL: "https://receiver.example", State: store.WebhookDelivered, Created: time.Unix(1e9, 0).UTC(), Tries: 1}

func (o *outbox) AddWebhook(_ context.Context, _ store.Actor, w store.Webhook) (store.Webhook, error) {
	o.added = append(o.added, w)
	w.ID, w.State, w.Created = "msg_2", store.WebhookPending, sent.Created
	return w, o.err
}

func (o *outbox) Webhooks(_ context.Context, q store.WebhookQuery) ([]store.Webhook, error) {
	o.asked = append(o.asked, q)
	return []store.Webhook{sent}, o.err
}

func (o *outbox) Webhook(_ context.Context, _, id string) (store.Webhook, []store.WebhookTry, error) {
	if id != sent.ID {
		return store.Webhook{}, nil, store.ErrNotFound
	}
	return sent, []store.WebhookTry{{Number: 1, At: sent.Created, Status: 200, Duration: time.Second, Answer: "ok"}}, o.err
}

func (o *outbox) ResendWebhook(_ context.Context, _ store.Actor, _, id string) (store.Webhook, error) {
	if id != sent.ID {
		return store.Webhook{}, store.ErrNotFound
	}
	return sent, o.err
}

func (o *outbox) WebhookSecret(context.Context, string) (store.WebhookSecret, error) {
	return store.WebhookSecret{Created: sent.Created}, o.err
}

func (o *outbox) RotateWebhookSecret(context.Context, store.Actor, string, time.Time) (string, error) {
	return "whsec_x", o.err
}

// call is get with any method and body.
func call(handler http.Handler, method, target, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("X-API-Key", key)
	return ask(handler, request)
}

func TestWebhooksOverHTTP(t *testing.T) {
	const base, created = "/api/v1/webhooks", `"created_at":"2001-09-09T01:46:40Z"`
	long := `"` + strings.Repeat("x", 8192) + `"`
	const one = `{"id":"msg_1","event":"job.completed","url":"https://receiver.example","state":"delivered",` + created + `,"tries":1`
	for _, c := range []struct {
		method, target, body string
		status               int
		want                 string
	}{
		{"GET", base, "", 200, `{"webhooks":[` + one + `}]}`},
		{"GET", base + "?limit=1", "", 200, `"next":"msg_1"`},
		{"GET", base + "?limit=0", "", 400, "invalid_parameter"},
		{"GET", base + "?limit=201", "", 400, "invalid_parameter"},
		{"GET", base + "?limit=x", "", 400, "invalid_parameter"},
		{"GET", base + "?state=lost", "", 400, "invalid_parameter"},
		{"GET", base + "?state=failed&state=queued", "", 400, "two values"},
		{"GET", base + "?%", "", 400, "invalid_query"},
		{"POST", base, "", 405, "method_not_allowed"},
		{"GET", base + "/msg_1", "", 200, one + `,"log":[{"number":1,"at":"2001-09-09T01:46:40Z","status":200,"duration_ms":1000,"answer":"ok"}]}`},
		{"GET", base + "/msg_9", "", 404, "webhook_not_found"},
		{"GET", base + "/", "", 200, `{"webhooks":[` + one + `}]}`},
		{"GET", base + "//", "", 404, `"not_found"`},
		{"GET", base + "/msg_1/other", "", 404, `"not_found"`},
		{"GET", base + "/msg_1/resend", "", 405, "method_not_allowed"},
		{"POST", base + "/msg_1/resend", "", 202, one},
		{"POST", base + "/msg_1/resend", "{}", 202, one},
		{"POST", base + "/msg_1/resend", long, 413, "body_not_taken"},
		{"POST", base + "/msg_9/resend", "", 404, "webhook_not_found"},
		{"GET", "/api/v1/webhook-secret", "", 200, `{` + created + `}`},
		{"POST", "/api/v1/webhook-secret", "", 200, `{"secret":"whsec_x",` + created + `}`},
		{"POST", "/api/v1/webhook-secret", long, 413, "body_not_taken"},
		{"POST", "/api/v1/webhook-test", `{"url":"https://receiver.example/a"}`, 202, `"event":"webhook.test"`},
		{"POST", "/api/v1/webhook-test", `{"url":"receiver"}`, 400, "must look like https://"},
		{"POST", "/api/v1/webhook-test", `[`, 400, "invalid_body"},
		{"POST", "/api/v1/webhook-test", "", 415, "unsupported_media_type"},
	} {
		handler := newServer(t, api.Config{Webhooks: &outbox{}}).Handler()
		got := call(handler, c.method, c.target, c.body)
		if got.Code != c.status || !strings.Contains(got.Body.String(), c.want) {
			t.Errorf("%s %s %s: status %d, body %s, want %d, %s", c.method, c.target, c.body, got.Code, got.Body, c.status, c.want)
		}
		failing := newServer(t, api.Config{Webhooks: &outbox{err: errors.New("the database is away")}}).Handler()
		if got := call(failing, c.method, c.target, c.body); c.status < 400 && (got.Code != 503 || strings.Contains(got.Body.String(), "away")) {
			t.Errorf("%s %s: status %d, body %s while the store fails", c.method, c.target, got.Code, got.Body)
		}
		without := newServer(t, api.Config{}).Handler()
		if got := call(without, c.method, c.target, c.body); got.Code != 404 {
			t.Errorf("%s %s: status %d without a store", c.method, c.target, got.Code)
		}
	}
}

// TestWebhooksOfTheKey: what is read and added belongs to the key that asks.
func TestWebhooksOfTheKey(t *testing.T) {
	o := &outbox{}
	handler := newServer(t, api.Config{Webhooks: o}).Handler()
	call(handler, "GET", "/api/v1/webhooks?job=job_1&state=failed&before=msg_1&limit=7&key=other", "")
	if want := (store.WebhookQuery{Key: "fixed", Job: "job_1", State: store.WebhookFailed, Before: "msg_1", Limit: 7}); o.asked[0] != want {
		t.Errorf("%+v, want %+v", o.asked[0], want)
	}
	call(handler, "POST", "/api/v1/webhook-test", `{"url":"https://receiver.example","key":"other"}`)
	if w := o.added[0]; w.Key != "fixed" || w.Job != "" || w.URL != "https://receiver.example" || !strings.Contains(string(w.Body), `"type":"webhook.test"`) {
		t.Errorf("%+v %s", w, w.Body)
	}
}
