package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/listupdate"
	"github.com/rcpt/rcpt/internal/sys/wholefile"
	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// RulesFlag adds rules that classify replies.
type RulesFlag struct {
	Rules []string `placeholder:"FILE" help:"Classify replies by the rules of this YAML file first; repeatable."`
}

// Classifier returns the embedded rules with those of the files before them.
func (f RulesFlag) Classifier() (*replies.Classifier, error) {
	if len(f.Rules) == 0 {
		return replies.DefaultClassifier(), nil
	}
	var files []replies.RuleFile
	for _, path := range f.Rules {
		data, err := wholefile.Read(path)
		if err != nil {
			return nil, Usage(fmt.Errorf("--rules %s: %w", path, err))
		}
		files = append(files, replies.RuleFile{Name: path, Data: data})
	}
	classifier, err := replies.NewClassifier(files...)
	if err != nil {
		return nil, Usage(fmt.Errorf("--rules: %w", err))
	}
	return classifier, nil
}

// ListFlags name lists besides the embedded ones.
type ListFlags struct {
	List []listFile `placeholder:"KIND=FILE" help:"Add a file to a list: disposable, free, role, spamtrap or allow; repeatable."`
	DataFlag
}

// Open reads the lists.
func (f ListFlags) Open(logger *slog.Logger) (*listupdate.Source, error) {
	var files []listupdate.File
	for _, file := range f.List {
		files = append(files, listupdate.File(file))
	}
	source, err := listupdate.Open(f.Folder(), files, logger)
	var wrong listupdate.FileError
	if errors.As(err, &wrong) {
		return source, Usage(err)
	}
	return source, err
}

// Watch reads the lists. From then on SIGHUP reloads them instead of ending the
// process.
func (f ListFlags) Watch(logger *slog.Logger) (*listupdate.Watch, error) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	source, err := f.Open(logger)
	return listupdate.NewWatch(source, asked), err
}
