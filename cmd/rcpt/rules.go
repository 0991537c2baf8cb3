package main

import (
	"fmt"

	"github.com/rcpt/rcpt/smtpprobe"
)

// rulesFlag adds rules by which replies are read.
type rulesFlag struct {
	Rules []string `placeholder:"FILE" help:"Read replies by the rules of this YAML file before the embedded ones; repeatable."`
}

func (f rulesFlag) classifier() (*smtpprobe.Classifier, error) {
	if len(f.Rules) == 0 {
		return smtpprobe.DefaultClassifier(), nil
	}
	var files []smtpprobe.RuleFile
	for _, path := range f.Rules {
		data, err := readFile(path)
		if err != nil {
			return nil, usage(fmt.Errorf("--rules %s: %w", path, err))
		}
		files = append(files, smtpprobe.RuleFile{Name: path, Data: data})
	}
	classifier, err := smtpprobe.NewClassifier(files...)
	if err != nil {
		return nil, usage(fmt.Errorf("--rules: %w", err))
	}
	return classifier, nil
}
