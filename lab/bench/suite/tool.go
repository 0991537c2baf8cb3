package suite

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/rcpt/rcpt/lab/bench/drive"
	"github.com/rcpt/rcpt/lab/bench/process"
)

// tool is a verifier in the race. Its command stands in the folder drive/NAME.
type tool struct {
	name   string
	title  string
	module string // of a peer
}

// ours and yardstick are the tools whose ratio the goals speak of.
const (
	ours           = "rcpt"
	yardstick      = "aftership"
	yardstickTitle = "AfterShip"
)

func tools() []tool {
	return []tool{
		{name: ours, title: "rcpt"},
		{name: yardstick, title: yardstickTitle, module: "github.com/AfterShip/email-verifier"},
		{name: "truemail", title: "truemail-go", module: "github.com/truemail-rb/truemail-go"},
	}
}

// toolsOf are ours and the peers with these names; none: all.
func toolsOf(peers []string) []tool {
	return slices.DeleteFunc(tools(), func(t tool) bool {
		return t.module != "" && len(peers) > 0 && !slices.Contains(peers, t.name)
	})
}

// buildTools builds the commands of all tools into a folder.
func buildTools(ctx context.Context, folder string) error {
	build := exec.CommandContext(ctx, "go", "build", "-o", folder+string(filepath.Separator), "./drive/...")
	return runQuietly(build)
}

// runGrace is how much longer than its limit a run may take: the addresses
// begun before it are still finished.
const runGrace = 90 * time.Second

// drive runs the tool's command over the list of a world.
func (t tool) drive(ctx context.Context, folder string, order drive.Order) (drive.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, order.Limit+runGrace)
	defer cancel()
	var report drive.Report
	run, err := process.Start(exec.CommandContext(ctx, filepath.Join(folder, t.name)), order, &report)
	if err != nil {
		return report, err
	}
	return report, run.End()
}
