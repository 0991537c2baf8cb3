package process

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestServe(t *testing.T) {
	failed := errors.New("failed")
	for _, tt := range []struct {
		name, in    string
		start, fail error // of the start; of the second answer
		out         string
		want        error
		ended       bool
	}{
		{"until the input ends", `3 "a" "b"`, nil, nil, "3\n1\n2\n", nil, true},
		{"no order", ``, nil, nil, "", io.EOF, false},
		{"does not start", `3 "a"`, failed, nil, "", failed, false},
		{"has no answer", `3 "a" "b" "c"`, nil, failed, "3\n1\n", failed, true},
	} {
		var out strings.Builder
		ended, asked := false, 0
		err := Serve(strings.NewReader(tt.in), &out, func(order int) (Service, error) {
			return Service{
				Ready: order,
				Answer: func() (any, error) {
					if asked++; asked == 2 {
						return asked, tt.fail
					}
					return asked, nil
				},
				End: func() error { ended = true; return nil },
			}, tt.start
		})
		if !errors.Is(err, tt.want) || out.String() != tt.out || ended != tt.ended {
			t.Errorf("%s: error %v, said %q, ended %t; want %v, %q, %t", tt.name, err, out.String(), ended, tt.want, tt.out, tt.ended)
		}
	}
	err := Serve(strings.NewReader("1"), io.Discard, func(int) (Service, error) {
		return Service{End: func() error { return failed }}, nil
	})
	if !errors.Is(err, failed) {
		t.Errorf("the end failed, and Serve returned %v", err)
	}
}
