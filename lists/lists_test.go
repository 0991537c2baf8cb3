package lists

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func embeddedLists(tb testing.TB, additions ...Addition) *Lists {
	tb.Helper()
	l, err := New(additions...)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}
