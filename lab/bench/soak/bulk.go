package soak

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/rcpt/rcpt"
)

const (
	// bulkLook is how often one looks at a run.
	bulkLook = 250 * time.Millisecond
	// bulkRetryWindow lets every second run ask again, as far as hosts want to
	// be asked soon.
	bulkRetryWindow = "20s"
	// bulkLimit is how long a run may take before it counts as stuck.
	bulkLimit = 5 * time.Minute
)

// lists is "rcpt bulk", again and again.
type lists struct {
	binary  string
	folder  string
	spec    Spec
	ready   Ready
	timeout time.Duration
	size    int // addresses of a list
	tally   tally
	growth  growth  // by run: the most of each figure
	latest  figures // the most since they were taken
	wrong   *faults
}

// pass verifies a list and holds the output against the truth.
func (l *lists) pass(ctx context.Context, run int) error {
	input, output := filepath.Join(l.folder, "list.csv"), filepath.Join(l.folder, "checked.csv")
	if err := l.writeList(input, uint64(run)); err != nil {
		return err
	}
	window := "0s"
	if run%2 == 1 {
		window = bulkRetryWindow
	}
	began := time.Now()
	if err := l.verify(ctx, input, output, window); err != nil {
		return err
	}
	return l.read(output, time.Since(began))
}

func (l *lists) writeList(path string, run uint64) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	list, next := bufio.NewWriter(file), l.spec.Addresses(bulkSeed+run)
	fmt.Fprintln(list, "email")
	for range l.size {
		fmt.Fprintln(list, next())
	}
	return list.Flush()
}

// bulkSeed keeps the lists apart from what other subjects are asked.
const bulkSeed = 1 << 32

// verify runs the command.
func (l *lists) verify(ctx context.Context, input, output, window string) error {
	ctx, cancel := context.WithTimeout(ctx, bulkLimit)
	defer cancel()
	p, err := run(ctx, l.binary, l.folder, l.spec, l.ready, l.timeout, "bulk", input, "-o", output, "--overwrite",
		"--no-progress", "--retry-window", window)
	if err != nil {
		return err
	}
	debug, err := p.debugURL()
	if err != nil {
		return err
	}
	most := l.watch(p, debug)
	if err := <-p.ended; ctx.Err() == context.DeadlineExceeded {
		l.wrong.add("rcpt bulk is stuck: %d addresses take longer than %v", l.size, bulkLimit)
	} else if err != nil {
		return fmt.Errorf("rcpt bulk: %w: %s", err, p.lastWords())
	}
	l.growth.add(most)
	return nil
}

// watch looks at the command until it ends.
func (l *lists) watch(p *program, debug string) (most figures) {
	look := time.NewTicker(bulkLook)
	defer look.Stop()
	for range look.C {
		f, err := p.figuresAt(debug)
		if err != nil { // it has ended, or is about to
			return most
		}
		most = most.most(f)
		l.tally.mu.Lock()
		l.latest = l.latest.most(f)
		l.tally.mu.Unlock()
	}
	return most
}

// takeLatest returns the most of each figure since it was last called.
func (l *lists) takeLatest() figures {
	l.tally.mu.Lock()
	defer l.tally.mu.Unlock()
	latest := l.latest
	l.latest = figures{}
	return latest
}

// read takes the rows of an output in.
func (l *lists) read(path string, took time.Duration) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	rows := csv.NewReader(bufio.NewReader(file))
	if _, err := rows.Read(); err != nil {
		return fmt.Errorf("%s: the header: %w", path, err)
	}
	n := 0
	for ; ; n++ {
		row, err := rows.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		l.tally.add(row[0], said{verdict: rcpt.Verdict(row[1]), reason: rcpt.Reason(row[2])}, took, l.wrong)
	}
	if n != l.size {
		l.wrong.add("rcpt bulk has written %d rows for %d", n, l.size)
	}
	return nil
}
