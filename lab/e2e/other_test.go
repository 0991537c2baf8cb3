//go:build e2e && !linux

package e2e

import "testing"

func TestRealServers(t *testing.T) {
	t.Skip("the end-to-end suite cannot run here: needs Linux")
}
