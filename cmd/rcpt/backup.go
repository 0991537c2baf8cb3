package main

import (
	"context"
	"fmt"

	"github.com/rcpt/rcpt/store"
)

// backupCommand is "rcpt backup".
type backupCommand struct {
	dataFlag
	databaseFlag
	File string `arg:"" help:"The file to write. It must not exist yet."`
}

// Run writes the backup, whether a server uses the data folder or not.
func (c *backupCommand) Run(ctx context.Context, std terminal) error {
	where, err := stateIn(c.dataFlag, c.databaseFlag)
	if err != nil {
		return err
	}
	if err := store.Backup(ctx, where, c.File); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "%s is a backup of %s\n", c.File, where.DataDir)
	return err
}
