package main

import (
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/listupdate"
)

// listFlags say where lists come from, beside the embedded ones.
type listFlags struct {
	List []listFile `placeholder:"KIND=FILE" help:"Add a file to a list: disposable, free, role, spamtrap or allow; repeatable."`
	dataFlag
}

// open reads the lists for the first time.
func (f listFlags) open(logger *slog.Logger) (*listupdate.Source, error) {
	var files []listupdate.File
	for _, file := range f.List {
		files = append(files, listupdate.File(file))
	}
	source, err := listupdate.Open(f.folder(), files, logger)
	var wrong listupdate.FileError
	if errors.As(err, &wrong) {
		return source, usage(err)
	}
	return source, err
}

// watch reads the lists for the first time. From now on, SIGHUP does not end
// the process.
func (f listFlags) watch(logger *slog.Logger) (*listupdate.Watch, error) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	source, err := f.open(logger)
	return listupdate.NewWatch(source, asked), err
}
