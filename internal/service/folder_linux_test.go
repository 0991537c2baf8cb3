package service

import (
	"strings"
	"testing"
)

// TestAdviceOnDisks: a disk of other machines is bad for the embedded database
// alone, memory for lists as well.
func TestAdviceOnDisks(t *testing.T) {
	for _, c := range []struct {
		number             uint32
		embedded, postgres string // what the advice has
	}{
		{0x6969, "on NFS", ""}, {0xff534d42, "on CIFS", ""}, {0x01021997, "on 9P", ""}, {0x65735546, "on FUSE", ""},
		{0x01021994, "in memory (tmpfs): the database", "in memory (tmpfs), so lists"},
		{0xef53, "", ""}, // ext4
	} {
		for embedded, want := range map[bool]string{true: c.embedded, false: c.postgres} {
			if got := adviceOn(volumes[c.number], embedded); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
				t.Errorf("%#x, embedded %v: %q", c.number, embedded, got)
			}
		}
	}
}
