package doctor

import (
	"context"
	"time"

	"github.com/rcpt/rcpt/engine"
)

// checkEvery is how often a network is looked at, even if nobody asks for
// anything. The engine makes a check again that failed a while ago.
const checkEvery = 5 * time.Second

// KeepChecking has the network checked again as long as it does not work, until
// ctx ends.
func KeepChecking(ctx context.Context, v *engine.Verifier) {
	again := time.NewTicker(checkEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		v.Network()
	}
}
