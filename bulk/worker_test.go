package bulk_test

import (
	"database/sql"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/enginetest"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

var workerAddresses = flag.Int("worker.addresses", 2_000, "addresses of TestWorker")

// TestWorker checks that the worker of ExampleRun_database brings a queue into
// a database, every address once and with its own verdict. A refusal that no
// acceptance follows stays unknown, as there are no retries here.
func TestWorker(t *testing.T) {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "customers.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE verified (customer TEXT PRIMARY KEY, verdict, reason)"); err != nil {
		t.Fatal(err)
	}
	world := enginetest.New(t)
	exists := func(_ *smtptest.Visit, rcpt string) string { // every other mailbox
		if strings.Contains(rcpt, "even") {
			return "250 2.1.5 Ok"
		}
		return "550 5.1.1 no such user"
	}
	const domains = 101 // odd, so that each has mailboxes of both kinds
	for i := range domains {
		world.Domain(fmt.Sprintf("d%d.example", i), &smtptest.Host{RCPTFunc: exists})
	}
	queue := make(chan bulk.Item)
	go func() {
		defer close(queue)
		for i := range *workerAddresses {
			mailbox := []string{"even", "odd"}[i%2]
			queue <- bulk.Item{
				Email: fmt.Sprintf("%s%d@d%d.example", mailbox, i, i%domains), Row: fmt.Appendf(nil, "%s-%d", mailbox, i),
			}
		}
	}()
	summary, err := bulk.Run(t.Context(), customers(queue), &table{db: db, batch: 1_000}, bulk.Options{
		Verifier: world.Verifier(engine.Config{}), Trim: rcpt.Result.WithoutDetails,
	})
	if err != nil || summary.Written != int64(*workerAddresses) || summary.Failed != 0 {
		t.Errorf("%d written, %d failed: %v", summary.Written, summary.Failed, err)
	}
	var wrong int
	if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM verified WHERE verdict = 'accept-all'
		OR customer LIKE 'even-%' AND verdict = 'undeliverable' OR customer LIKE 'odd-%' AND verdict = 'deliverable'`).Scan(&wrong); err != nil || wrong != 0 {
		t.Errorf("%d wrong verdicts: %v", wrong, err)
	}
	for like, verdict := range map[string]rcpt.Verdict{"even-%": rcpt.VerdictDeliverable, "odd-%": rcpt.VerdictUndeliverable} {
		var rows int
		if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM verified WHERE customer LIKE ? AND verdict = ?", like, verdict).Scan(&rows); err != nil {
			t.Fatal(err)
		}
		if all := *workerAddresses / 2; rows > all || rows < all-all/20 {
			t.Errorf("%s: %d of %d are %s", like, rows, all, verdict)
		}
	}
}
