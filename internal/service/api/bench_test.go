package api_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/api"
)

// BenchmarkRemembered tells what a request costs that is answered from memory,
// without the work of net/http.
func BenchmarkRemembered(b *testing.B) {
	verifier, err := engine.New(engine.Config{Level: engine.LevelSyntax, MaxRemembered: 100})
	if err != nil {
		b.Fatal(err)
	}
	defer verifier.Close()
	s, err := api.New(api.Config{Verifier: verifier, Keys: fixed(b, key)})
	if err != nil {
		b.Fatal(err)
	}
	askAgain(b, s, key)
}

// askAgain asks a server about the same address with a key, without the work of
// net/http.
func askAgain(b *testing.B, s *api.Server, key string) {
	handler := s.Handler()
	request := httptest.NewRequest(http.MethodGet, "/api/v1/verify?email=alice%40example.com&apikey="+key, nil)
	response := discarded{http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(response.header)
		handler.ServeHTTP(response, request)
	}
}

type discarded struct{ header http.Header }

func (d discarded) Header() http.Header         { return d.header }
func (d discarded) Write(b []byte) (int, error) { return len(b), nil }
func (d discarded) WriteHeader(int)             {}
