package doctor

import (
	"strings"

	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// Remedy is [replies.Remedy] for the operator of rcpt: what to do names the
// flags that set what it speaks of.
func Remedy(q replies.Input) (cause, do string) {
	cause, do = replies.Remedy(q)
	return cause, withFlags.Replace(do)
}

// withFlags adds the flags to what a remedy says.
var withFlags = strings.NewReplacer(
	"reverse-path of your own", "reverse-path of your own (--mail-from)",
	"your name in HELO", "your name in HELO (--helo)",
	"an IPv4 address", "an IPv4 address (--source-ip)",
	"through a proxy", "through a proxy (--proxy)",
	"the null reverse-path", "the null reverse-path (the default of --mail-from)",
	"its page says how to get off.",
	"its page says how to get off. rcpt doctor looks the address up in the usual ones.",
)
