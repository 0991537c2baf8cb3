package server

import (
	"net/url"
	"strings"
	"testing"
)

// FuzzParameters checks that a query is read as net/url reads it, once the plus
// signs of addresses with a bare "@" are encoded.
func FuzzParameters(f *testing.F) {
	for _, seed := range []string{
		"", "&", "=", "email", "email=a@b.example&details=1", "email=a+b@c.example", "email=a+b%40c.example", "name=a+b@c", "em%61il=a+b@c.example",
		"x=%4", "%zz=1&y=2", "a;b=1&c=2", "email=a;b@c", "email=1&email=2&email=3", "a=b=c", "a+b=c+d", "%00=%ff", "=a&=b", "email=%40+@%2B",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if len(raw) > maxQuery {
			t.Skip()
		}
		want, err := url.ParseQuery(literalPlus(raw))
		got := readQuery(raw)
		if (got.err != nil) != (err != nil) {
			t.Errorf("%q: error %v, net/url has %v", raw, got.err, err)
		}
		total := 0
		for name, values := range want {
			value, times := got.find(name)
			if value != values[0] || times != len(values) {
				t.Errorf("%q: %q is %q, given %d times, want %q", raw, name, value, times, values)
			}
			total += len(values)
		}
		if len(got.parameters) != total {
			t.Errorf("%q: %d parameters, want %d", raw, len(got.parameters), total)
		}
	})
}

// literalPlus encodes plus signs for net/url.
func literalPlus(raw string) string {
	pairs := strings.Split(raw, "&")
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		if name == "email" && strings.Contains(value, "@") {
			pairs[i] = name + "=" + strings.ReplaceAll(value, "+", "%2B")
		}
	}
	return strings.Join(pairs, "&")
}
