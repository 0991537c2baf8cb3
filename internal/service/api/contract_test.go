package api_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/web/openapi/openapitest"
)

// judge holds the responses of all tests to the contract, and keeps what it
// found.
type judge struct {
	*openapitest.Contract
	mu     sync.Mutex
	faults []error
}

func newJudge() *judge {
	contract, err := openapitest.New()
	if err != nil {
		panic(err)
	}
	return &judge{Contract: contract}
}

func (j *judge) blame(fault error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.faults = append(j.faults, fault)
}

// response judges what a handler answered.
func (j *judge) response(request *http.Request, response *httptest.ResponseRecorder) {
	if fault := j.Check(request.Method, request.URL.EscapedPath(), response.Result()); fault != nil {
		j.blame(fault)
	}
}

// exit ends the tests with the given code, or with one that tells of faults.
func (j *judge) exit(code int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, fault := range j.faults {
		fmt.Println("FAIL:", fault)
		code = max(code, 1)
	}
	os.Exit(code)
}

func TestContractIsServed(t *testing.T) {
	handler := newServer(t, api.Config{}).Handler()
	request := httptest.NewRequest(http.MethodGet, "/openapi.json", nil)
	request.Header.Set("Accept-Encoding", "gzip")
	response := ask(handler, request)
	plain, err := gzip.NewReader(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ OpenAPI string }
	if err := json.NewDecoder(plain).Decode(&file); err != nil || !strings.HasPrefix(file.OpenAPI, "3.1.") {
		t.Errorf("OpenAPI %q: %v", file.OpenAPI, err)
	}
	request.Header.Set("If-None-Match", response.Header().Get("ETag"))
	if again := ask(handler, request); again.Code != http.StatusNotModified {
		t.Errorf("once more: status %d", again.Code)
	}
	if page := get(handler, "/docs"); page.Code != http.StatusOK || !strings.Contains(page.Body.String(), "/api/v1/verify") {
		t.Errorf("page: status %d", page.Code)
	}
	if posted := ask(handler, httptest.NewRequest(http.MethodPost, "/openapi.json", nil)); posted.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d", posted.Code)
	}
}
