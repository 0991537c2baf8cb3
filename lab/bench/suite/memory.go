package suite

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rcpt/rcpt/lab/bench/drive"
	"github.com/rcpt/rcpt/lab/bench/world"
)

// bulk is the scenario of a long list through the command "rcpt bulk", in a
// world without delay.
type bulk struct {
	binary string
	spec   world.Spec
}

// memoryLook is how often one looks how much memory the command has; what it
// says is the peak until then.
const memoryLook = 100 * time.Millisecond

// bulkLimit bounds the command's time.
const bulkLimit = 20 * time.Minute

func newBulk(binary string, quick bool) bulk {
	b := bulk{binary: binary, spec: skewed(1_000_000, 0)}
	b.spec.Domains = 3_000
	b.spec.Seed, b.spec.Subnet, b.spec.Port = 1, subnet, smtpPort
	if quick {
		b.spec.Addresses, b.spec.Domains = 5_000, 100
	}
	return b
}

// passed is what one run of the command showed.
type passed struct {
	peakRSS int64
	took    time.Duration
	rows    int // of the output
}

func (r race) pass(ctx context.Context, b bulk) (passed, error) {
	r.progress("bulk: %d addresses", b.spec.Addresses)
	ctx, cancel := context.WithTimeout(ctx, bulkLimit)
	defer cancel()
	place, dns, err := startWorld(ctx, b.spec)
	if err != nil {
		return passed{}, err
	}
	run, err := b.run(ctx, r.folder, dns)
	if err != nil {
		_ = place.End()
		return passed{}, err
	}
	return run, place.End()
}

func (b bulk) run(ctx context.Context, folder, dns string) (passed, error) {
	input, out := filepath.Join(folder, "input.csv"), filepath.Join(folder, "output.csv")
	if err := b.writeList(input); err != nil {
		return passed{}, err
	}
	began := time.Now()
	peak, err := watched(exec.CommandContext(ctx, b.binary, "bulk", input, "-o", out, "--resolver", dns,
		"--smtp-port", fmt.Sprint(b.spec.Port), "--allow-net", "127.0.0.0/8", "--helo", drive.HELO,
		"--retry-window", "0s", "--no-progress"))
	if err != nil {
		return passed{}, err
	}
	rows, err := dataRows(out)
	return passed{peakRSS: peak, took: time.Since(began), rows: rows}, err
}

func (b bulk) writeList(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	list := bufio.NewWriter(file)
	fmt.Fprintln(list, "email")
	for _, address := range b.spec.List() {
		fmt.Fprintln(list, address)
	}
	return list.Flush()
}

// dataRows counts the lines of a file behind its header.
func dataRows(path string) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	lines, rows := bufio.NewScanner(file), -1
	for lines.Scan() {
		rows++
	}
	return rows, lines.Err()
}

// watched runs a command and returns the most memory it had. What it says is
// shown when it fails.
func watched(cmd *exec.Cmd) (peakRSS int64, err error) {
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	look := time.NewTicker(memoryLook)
	defer look.Stop()
	for {
		select {
		case <-look.C:
			if peak, err := drive.PeakRSS(cmd.Process.Pid); err == nil { // else it is about to end
				peakRSS = peak
			}
		case err := <-ended:
			if err != nil {
				lines := strings.Split(strings.TrimSpace(said.String()), "\n")
				return 0, fmt.Errorf("%w: %s", err, lines[len(lines)-1])
			}
			return peakRSS, nil
		}
	}
}

func (p passed) table(b bulk) *table {
	t := &table{title: "A list of a million: rcpt bulk", header: []string{"figure", "rcpt", "goal", "met"}}
	g := goal{bound: 300}
	peak := float64(p.peakRSS) / 1e6
	n := b.spec.Addresses
	t.add(fmt.Sprintf("peak memory for %d addresses, MB", n), number(peak), g.String(), g.met(peak, 0))
	t.add("addresses per second", number(float64(n)/p.took.Seconds()), "", "")
	t.add("rows in the output",
		fmt.Sprint(p.rows), fmt.Sprint(n), goal{bound: float64(n), atLeast: true}.met(float64(p.rows), 0))
	return t
}
