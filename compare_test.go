package rcpt_test

import (
	"reflect"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
)

// TestFieldsMayBeAdded: what programs get and set most cannot be compared with
// ==, so that a field of any type may be added to it.
func TestFieldsMayBeAdded(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[rcpt.Result](), reflect.TypeFor[rcpt.Details](),
		reflect.TypeFor[engine.Config](), reflect.TypeFor[engine.VerifyOptions](), reflect.TypeFor[engine.GroupOptions](),
		reflect.TypeFor[engine.Outcome](), reflect.TypeFor[engine.Policy](), reflect.TypeFor[engine.Evidence](),
	} {
		if typ.Comparable() {
			t.Errorf("%s can be compared", typ)
		}
	}
}
