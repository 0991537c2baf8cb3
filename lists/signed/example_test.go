package signed_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"aead.dev/minisign"

	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/lists/signed"
)

// A program downloads an edition and its signature, here from a local server
// with a key of its own, and checks them. With [signed.Feed] the keys are those
// of [signed.ReleaseKeys].
func ExampleRead() {
	feed, key := startFeed()
	defer feed.Close()
	url := feed.URL + "/lists.bundle"

	bundle, err := download(context.Background(), url, signed.MaxBundle)
	if err != nil {
		fmt.Println(err)
		return
	}
	signature, err := download(context.Background(), url+signed.Suffix, signed.MaxSignature)
	if err != nil {
		fmt.Println(err)
		return
	}
	edition, err := signed.Read(bundle, signature, key)
	if err != nil {
		fmt.Println(err)
		return
	}
	if edition.Date() < lists.Default().Edition().Date() {
		fmt.Println("the edition is older than the one in this program")
		return
	}
	l, err := edition.New(lists.Domains(lists.KindDisposable, "ours", "throw.example"))
	if err != nil {
		fmt.Println(err)
		return
	}
	// verifier.SetLists(l)
	fmt.Println(l.Disposable("mailinator.com"), l.Disposable("throw.example"))
	// Output: true true
}

func download(ctx context.Context, url string, most int64) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, response.Status)
	}
	return io.ReadAll(io.LimitReader(response.Body, most))
}

// startFeed serves the embedded edition, signed.
func startFeed() (*httptest.Server, signed.Key) {
	public, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	edition, err := os.ReadFile("../data/lists.bundle")
	if err != nil {
		panic(err)
	}
	var key signed.Key
	if err := key.UnmarshalText([]byte(public.String())); err != nil {
		panic(err)
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, signed.Suffix) {
			_, _ = w.Write(minisign.Sign(private, edition))
			return
		}
		_, _ = w.Write(edition)
	})), key
}
