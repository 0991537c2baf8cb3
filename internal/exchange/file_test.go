package exchange

import "testing"

func TestAcceptsGzip(t *testing.T) {
	for _, c := range []struct {
		fields []string
		want   bool
	}{
		{nil, false},
		{[]string{""}, false},
		{[]string{"br, deflate"}, false},
		{[]string{"gzip"}, true},
		{[]string{"GZIP ; Q=0.001"}, true},
		{[]string{"br", "x-gzip"}, true},
		{[]string{"gzip;q=0"}, false},
		{[]string{"gzip;q=0.000, *"}, false},
		{[]string{"*, gzip;q=0"}, false},
		{[]string{"*"}, true},
		{[]string{"*;q=0"}, false},
		{[]string{"identity, *;q=0.5"}, true},
	} {
		if got := AcceptsGzip(c.fields); got != c.want {
			t.Errorf("%q: %v, want %v", c.fields, got, c.want)
		}
	}
}
