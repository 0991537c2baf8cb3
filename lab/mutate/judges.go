package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// simulated is the package whose tests simulate the plan, and simulations are
// those tests. All others are tables.
const (
	simulated   = "smtpprobe/internal/schedule"
	simulations = "^(TestSimulation|TestSums|TestSameTrace|TestFalsePlans|TestShrink|TestFeed.*|TestFormBesideAList)$"
)

// judge notices mutations by tests of a package; of the mutated one, if it
// names none.
type judge struct{ name, folder, tests string }

// judges are asked one after the other, until one notices.
var judges = []judge{
	{name: "tables", tests: "-test.skip=" + simulations},
	{name: "sums", folder: simulated, tests: "-test.run=^(TestSums|TestFeedSums)$"},
	{name: "simulation", folder: simulated, tests: "-test.run=^(TestSimulation|TestFeed)$"},
	{name: "suite", folder: "smtpprobe", tests: "-test.run=."},
}

// verdict is which judge has noticed a mutation, and by which tests.
type verdict struct {
	judge string
	tests []string
}

func (v verdict) String() string {
	return strings.TrimSpace(v.judge + " " + strings.Join(v.tests, " "))
}

// nobody is the judge of what nobody has noticed.
const nobody = "nobody"

// errNotGo is said of a mutation that is not a program.
var errNotGo = errors.New("it does not compile")

// hear has the judges look at a package, with a change that the go command sees
// as an overlay: no file of the source is touched.
func hear(mutated, overlay, work string) (verdict, error) {
	built := map[string]string{}
	for _, j := range judges {
		folder := j.folder
		if folder == "" {
			folder = mutated
		}
		if built[folder] == "" {
			binary, err := build(folder, overlay, work)
			if err != nil {
				return verdict{}, err
			}
			built[folder] = binary
		}
		if failed := failures(built[folder], folder, j.tests); failed != nil {
			return verdict{j.name, failed}, nil
		}
	}
	return verdict{judge: nobody}, nil
}

func build(folder, overlay, work string) (string, error) {
	binary := filepath.Join(work, strings.ReplaceAll(folder, "/", "-")+".test")
	command := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w",
		"-overlay="+overlay, "-o", binary, "./"+folder)
	command.Dir = root
	output, err := command.CombinedOutput()
	if errors.As(err, new(*exec.ExitError)) {
		return "", fmt.Errorf("%w: %s", errNotGo, output)
	}
	return binary, err
}

var failure = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// failures runs tests, and returns those that fail. One that computes for a
// minute, or wants more than four gigabytes, fails: a mutation may have taken
// its end away. The time is that of the processor, so that a busy machine makes
// no difference.
func failures(binary, folder, tests string) (failed []string) {
	script := `ulimit -v 4000000; ulimit -t 60; exec "$0" "$@"`
	test := exec.Command("sh", "-c", script, binary, "-test.short", "-test.timeout=10m", tests)
	test.Dir = filepath.Join(root, folder)
	output, err := test.CombinedOutput()
	if err == nil {
		return nil
	}
	for _, m := range failure.FindAllSubmatch(output, -1) {
		failed = append(failed, string(m[1]))
	}
	if failed == nil {
		return []string{"no end"}
	}
	return slices.Compact(failed)
}

// try has the judges look at a mutation.
func try(m mutation, work string) (verdict, error) {
	original, err := filepath.Abs(filepath.Join(root, m.file))
	if err != nil {
		return verdict{}, err
	}
	file, overlay := filepath.Join(work, "mutated.go"), filepath.Join(work, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{original: file}})
	if err == nil {
		err = errors.Join(os.WriteFile(file, m.mutated(), 0o644), os.WriteFile(overlay, text, 0o644))
	}
	if err != nil {
		return verdict{}, err
	}
	return hear(filepath.Dir(m.file), overlay, work)
}
