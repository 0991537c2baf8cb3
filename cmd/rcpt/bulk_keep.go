package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// paceSuffix follows the name of a journal in the name of the file with the
// pauses and budgets of providers, which a run that is resumed goes on with.
const paceSuffix = "-pace"

// paceMemory returns what the run that is resumed knew of providers.
func (c *bulkCommand) paceMemory(log *slog.Logger) (memory []pace.Memory) {
	name, err := c.journalName()
	if !c.Resume || err != nil {
		return nil
	}
	text, err := os.ReadFile(name + paceSuffix)
	if err == nil {
		err = json.Unmarshal(text, &memory)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("cannot read how providers were asked before", slog.String("error", err.Error()))
		return nil
	}
	return memory
}

// paceKeeper writes what is worth keeping of providers beside a journal.
type paceKeeper struct {
	name   string // empty: nothing is written
	memory func() []pace.Memory
	at     time.Time // it was last written
}

func (c *bulkCommand) keepPace(run bulkRun) (*paceKeeper, error) {
	k := &paceKeeper{memory: run.verifier.PaceMemory, at: time.Now()}
	if run.journal == nil {
		return k, nil
	}
	name, err := c.journalName()
	k.name = name + paceSuffix
	return k, err
}

// paceEvery is how often it is written.
const paceEvery = time.Minute

// nowAndThen writes it when a while has passed.
func (k *paceKeeper) nowAndThen() error {
	if time.Since(k.at) < paceEvery {
		return nil
	}
	return k.write()
}

func (k *paceKeeper) write() error {
	k.at = time.Now()
	memory := k.memory()
	if k.name == "" || len(memory) == 0 {
		return nil
	}
	text, err := json.Marshal(memory)
	if err != nil {
		return err
	}
	return os.WriteFile(k.name, text, 0o600)
}

// end removes the file if the journal was removed, or leaves it for the next
// run.
func (k *paceKeeper) end() error {
	if k.name == "" {
		return nil
	}
	if _, err := os.Stat(strings.TrimSuffix(k.name, paceSuffix)); err == nil {
		return k.write()
	}
	if err := os.Remove(k.name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
