//go:build browser

package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// axe is axe-core in the version of package-lock.json, or why it is not there.
var axe = sync.OnceValues(func() (script string, err error) {
	folder, err := os.MkdirTemp("", "rcpt-axe-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	for _, name := range []string{"package.json", "package-lock.json"} {
		octets, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), octets, 0o600)
		}
		if err != nil {
			return "", err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	fetch := exec.CommandContext(ctx, "npm", "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline")
	fetch.Dir, fetch.WaitDelay = folder, time.Second
	if out, err := fetch.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w: %s", err, out)
	}
	octets, err := os.ReadFile(filepath.Join(folder, "node_modules", "axe-core", "axe.min.js"))
	return string(octets), err
})

// TestAxe says whether axe-core judges the pages: each album does it.
func TestAxe(t *testing.T) {
	if _, err := axe(); err != nil {
		t.Skipf("SKIPPED: axe-core cannot be fetched, so that it judges no page: %v", err)
	}
}

// judge lets axe-core look for what keeps people from using a page.
func (a album) judge(t *testing.T, ctx context.Context, width int64) {
	t.Helper()
	script, err := axe()
	if err != nil {
		return // TestAxe says so
	}
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`if (!window.axe) { `+script+`; }`))
	for _, fault := range eval[[]string](t, ctx, axeScript) {
		t.Errorf("%s at %d px: %s", a.name, width, fault)
	}
}

const axeScript = `axe.run(document, {resultTypes: ["violations"]}).then((found) => found.violations.flatMap((v) =>
	v.nodes.map((n) => v.id + " (" + v.impact + "): " + n.target + ": " + n.html.slice(0, 120))))`
