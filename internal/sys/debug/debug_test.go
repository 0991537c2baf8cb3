package debug

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestHosts: only requests for a loopback address are answered.
func TestHosts(t *testing.T) {
	for host, want := range map[string]int{
		"127.0.0.1:6060": 200, "127.9.9.9": 200, "[::1]:6060": 200, "[::1]": 200, "localhost": 200, "LocalHost:6060": 200, "localhost:6060": 200,
		"evil.example": 421, "evil.example:6060": 421, "127.0.0.1.evil.example": 421, "localhost.evil.example": 421, "192.0.2.1": 421, "": 421,
	} {
		request := httptest.NewRequest(http.MethodGet, "/debug/runtime", nil)
		request.Host = host
		recorder := httptest.NewRecorder()
		handler().ServeHTTP(recorder, request)
		if recorder.Code != want {
			t.Errorf("%q: status %d, want %d", host, recorder.Code, want)
		}
	}
}
