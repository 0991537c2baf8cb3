package schedule

import (
	"testing"

	"github.com/rcpt/rcpt/internal/testkit"
)

// TestImports holds that the plan is a value: it cannot wait, talk, or ask for
// the time.
func TestImports(t *testing.T) {
	testkit.Pure(t,
		"cmp", "container/heap", "errors", "fmt", "maps", "math", "net/netip", "slices", "strings", "time",
		"github.com/rcpt/rcpt/smtpprobe/internal/belief", "github.com/rcpt/rcpt/smtpprobe/internal/sites",
		"github.com/rcpt/rcpt/smtpprobe/pace", "github.com/rcpt/rcpt/smtpprobe/replies",
		"github.com/rcpt/rcpt/smtpprobe/smtp")
}
