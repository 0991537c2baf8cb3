package drive

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"time"
)

// Order is what a tool's command reads from its standard input; it answers with
// a [Report] on its standard output. Both are JSON.
type Order struct {
	Setting Setting
	Limit   time.Duration
}

// Main is the main function of a tool's command.
func Main(newTool func(Setting) (Tool, error)) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := obey(ctx, newTool); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func obey(ctx context.Context, newTool func(Setting) (Tool, error)) error {
	var order Order
	if err := json.NewDecoder(os.Stdin).Decode(&order); err != nil {
		return err
	}
	report, err := Run(ctx, order.Setting, order.Limit, newTool)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}
