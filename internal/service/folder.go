package service

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
)

// temporaryFolder returns the data folder, where large temporary files belong
// beside any database: the folder of the system for such files may be in
// memory. It returns "" for that folder if nothing can be written to ours.
func temporaryFolder(dir string, logger *slog.Logger) string {
	if dir == "" {
		return ""
	}
	if err := writable(dir); err != nil {
		logger.Warn("lists that arrive wait in "+os.TempDir()+
			", because the data folder cannot be written to: name one with --data", slog.String("error", err.Error()))
		return ""
	}
	return dir
}

// writable creates a folder if it is not there, and a file in it for a moment.
func writable(dir string) error {
	const ours = 0o700
	if err := os.MkdirAll(dir, ours); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, "rcpt-*.tmp")
	if err != nil {
		return err
	}
	_ = file.Close()
	return os.Remove(file.Name())
}

// warnOfFolder logs what is wrong with the disk of a folder of temporary files,
// in which the embedded database may be, too.
func warnOfFolder(dir string, embedded bool, logger *slog.Logger) {
	dir = cmp.Or(dir, os.TempDir())
	if advice := adviceOn(volumeOf(dir), embedded); advice != "" {
		logger.Warn(fmt.Sprintf("%s is %s", dir, advice))
	}
}

// volume is a kind of file system, as far as it matters.
type volume struct {
	name   string // such as nfs
	shared bool   // with other machines, or in user space
	memory bool
}

// adviceOn says what is wrong with a kind of disk for temporary files and, if
// it is embedded, for the database; or "".
func adviceOn(v volume, embedded bool) string {
	switch {
	case v.shared && embedded:
		return "on " + v.name + ", where the locks and the shared memory of SQLite need not work: " +
			"the database may be damaged. Use a local disk, or PostgreSQL (--database)"
	case v.memory && embedded:
		return "in memory (" + v.name + "): the database is lost with it, and lists that arrive take memory. Use a disk"
	case v.memory:
		return "in memory (" + v.name + "), so lists that arrive take memory, up to 1 GiB each: " +
			"name a folder on a disk with --data"
	}
	return ""
}
