package soak

import (
	"fmt"
	"io"
	"time"

	"github.com/rcpt/rcpt"
)

const columns = "%6s  %-8s %6s %6s %8s %8s  %8s %8s %8s %8s %8s %5s  %7s %7s %7s\n"

// writeHead begins the table.
func writeHead(w io.Writer) {
	fmt.Fprintf(w, columns, "time", "subject", "gorout", "files", "heap MB", "RSS MB",
		"answers", "deliver", "undeliv", "all", "unknown", "busy", "p50", "p99", "most")
}

// writeRow is what a subject takes up, and what it has said since the last row.
func writeRow(w io.Writer, at time.Duration, name string, f figures, c counted) {
	number := func(v rcpt.Verdict) string { return fmt.Sprint(c.verdicts[v]) }
	fmt.Fprintf(w, columns, fmt.Sprintf("%.0fs", at.Seconds()), name,
		fmt.Sprint(f.Goroutines), fmt.Sprint(f.fds), megabytes(f.HeapLive), megabytes(f.rss), fmt.Sprint(len(c.took)),
		number(rcpt.VerdictDeliverable), number(rcpt.VerdictUndeliverable),
		number(rcpt.VerdictAcceptAll), number(rcpt.VerdictUnknown), fmt.Sprint(c.busy),
		seconds(c.quantile(0.5)), seconds(c.quantile(0.99)), seconds(c.quantile(1)))
}

func megabytes(octets uint64) string { return fmt.Sprintf("%.1f", float64(octets)/1e6) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.2fs", d.Seconds()) }
