package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	"github.com/rcpt/rcpt/engine"
)

// basisLength is how much of a digest names what verdicts rest on: two that differ never share it.
const basisLength = 16

// basis names what verdicts rest on besides the word of mail hosts, so that one that is remembered is not taken for another's: the program, how deep it
// looks, its rules, and the lists.
func (c *serveCommand) basis(lists string) string {
	digest := sha256.New()
	fmt.Fprintln(digest, version(), c.Level, lists, c.RHSBL)
	for _, path := range c.Rules {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintln(digest, path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return hex.EncodeToString(digest.Sum(nil)[:basisLength])
}

// wayOut names how mail hosts see us. Greylisting knows a client by its address and sender.
func wayOut(config engine.Config) string {
	parts := []string{config.HELO, config.MailFrom}
	for _, proxy := range config.Proxies {
		parts = append(parts, proxy.Host)
	}
	for _, ip := range config.SourceIPs {
		parts = append(parts, ip.String())
	}
	return strings.Join(parts, " ")
}
