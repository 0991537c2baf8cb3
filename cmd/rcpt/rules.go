package main

import (
	"fmt"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/wholefile"
	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// rulesFlag adds rules by which replies are read.
type rulesFlag struct {
	Rules []string `placeholder:"FILE" help:"Read replies by the rules of this YAML file first; repeatable."`
}

func (f rulesFlag) classifier() (*replies.Classifier, error) {
	if len(f.Rules) == 0 {
		return replies.DefaultClassifier(), nil
	}
	var files []replies.RuleFile
	for _, path := range f.Rules {
		data, err := wholefile.Read(path)
		if err != nil {
			return nil, usage(fmt.Errorf("--rules %s: %w", path, err))
		}
		files = append(files, replies.RuleFile{Name: path, Data: data})
	}
	classifier, err := replies.NewClassifier(files...)
	if err != nil {
		return nil, usage(fmt.Errorf("--rules: %w", err))
	}
	return classifier, nil
}
