package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/internal/service/api"
)

func askWith(handler http.Handler, peer, shown string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodGet, "/api/v1/verify?email=a@b.example", nil)
	request.RemoteAddr = peer
	request.Header.Set("X-API-Key", shown)
	return ask(handler, request)
}

// TestKeyGuessing: of 10,000 wrong keys none gets in; most get 429, other
// networks and the right key are none the worse for it.
func TestKeyGuessing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := newServer(t, api.Config{}).Handler()
		const guesser = "192.0.2.1:1234"
		count := map[int]int{}
		for i := range 10_000 {
			count[askWith(handler, guesser, fmt.Sprintf("guess-%d", i)).Code]++
		}
		if count[401] != 100 || count[429] != 9_900 {
			t.Errorf("answers: %v", count)
		}
		if refused := askWith(handler, guesser, "guess"); refused.Header().Get("Retry-After") == "" || refused.Header().Get("Connection") != "close" {
			t.Errorf("header of a 429: %v", refused.Header())
		}
		if code := askWith(handler, guesser, key).Code; code != 200 {
			t.Errorf("the right key from the guesser's network: status %d", code)
		}
		if code := askWith(handler, "192.0.2.2:1234", "wrong").Code; code != 401 {
			t.Errorf("a wrong key from another network: status %d", code)
		}
		time.Sleep(150 * time.Millisecond)
		if code := askWith(handler, guesser, "guess").Code; code != 401 {
			t.Errorf("after a while: status %d", code)
		}
	})
}

// TestNetworksOfGuessers: an IPv6 customer has one network and not 2^64, and a
// peer without an address is one, too.
func TestNetworksOfGuessers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, form := range []string{"[2001:db8::%x]:1", "[::ffff:192.0.2.1]:%d", "@%d"} {
			handler := newServer(t, api.Config{}).Handler()
			last := 0
			for i := range 101 {
				last = askWith(handler, fmt.Sprintf(form, i+1), "wrong").Code
			}
			if last != 429 {
				t.Errorf("%s: status %d after 100 wrong keys", form, last)
			}
			if code := askWith(handler, "[::ffff:192.0.2.2]:1", "wrong").Code; code != 401 {
				t.Errorf("%s: status %d for another network", form, code)
			}
		}
	})
}

// TestManyGuessers: the memory for networks is bounded; those that do not fit
// share their limit, until others are forgotten.
func TestManyGuessers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := newServer(t, api.Config{}).Handler()
		peer := func(i int) string { return fmt.Sprintf("10.%d.%d.%d:1", i>>16, i>>8&255, i&255) }
		for i := range 10_000 {
			askWith(handler, peer(i), "wrong")
		}
		last := 0
		for i := range 101 {
			last = askWith(handler, peer(10_000+i), "wrong").Code
		}
		if last != 429 {
			t.Errorf("status %d for the last of 101 networks that do not fit", last)
		}
		if code := askWith(handler, peer(20_000), key).Code; code != 200 {
			t.Errorf("the right key: status %d", code)
		}
		time.Sleep(2 * time.Second)
		if code := askWith(handler, peer(20_000), "wrong").Code; code != 401 {
			t.Errorf("after a while: status %d", code)
		}
	})
}

// TestKeyTwice: a header that is there twice shows no key, whichever of the two
// a proxy looked at.
func TestKeyTwice(t *testing.T) {
	handler := newServer(t, api.Config{}).Handler()
	for name, value := range map[string]string{"Authorization": "Bearer " + key, "X-Api-Key": key} {
		request := httptest.NewRequest(http.MethodGet, "/api/v1/verify?email=a@b.example", nil)
		request.Header[name] = []string{value, value}
		if code := ask(handler, request).Code; code != 401 {
			t.Errorf("%s twice: status %d", name, code)
		}
	}
}
