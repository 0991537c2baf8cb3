//go:build e2e && linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// world is the little internet: loopback addresses with mail hosts on port 25,
// and a resolver.
type world struct {
	dir     string
	postfix *root
	exim    *root
	smtpd   *root

	situations situations
	scripted   map[string]*smtptest.Server // by address
	led        atomic.Int64                // connections to trapAddresses
}

// newWorld builds the world in dir, an empty folder, from the packages in
// archives, and waits until all its servers listen. It must run in the
// namespaces that enterWorld makes.
func newWorld(dir, archives string) (*world, error) {
	all, err := readSituations()
	if err != nil {
		return nil, err
	}
	w := &world{dir: dir, situations: all, scripted: map[string]*smtptest.Server{}}
	if err := w.mountMemory(); err != nil {
		return nil, err
	}
	if err := unpack(archives, filepath.Join(dir, "packages")); err != nil {
		return nil, err
	}
	for _, start := range []func() error{
		w.startDNS, w.startFaultyDNS, w.startScripted, w.startMilter, w.startPostfix, w.startExim, w.startOpenSMTPD,
	} {
		if err := start(); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// mountMemory makes dir a file system in memory that only this world sees:
// nothing of it can be left on the machine.
func (w *world) mountMemory() error {
	if err := mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""); err != nil {
		return err
	}
	if err := mount("tmpfs", w.dir, "tmpfs", 0, "mode=0755"); err != nil {
		return err
	}
	if err := mount("proc", "/proc", "proc", 0, ""); err != nil {
		return err
	}
	for _, sub := range []string{"packages", "roots", "logs"} {
		if err := os.Mkdir(filepath.Join(w.dir, sub), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// mount is mount(2). Where it fails, the machine does not let us, as in many
// containers.
func mount(source, target, fstype string, flags uintptr, data string) error {
	if err := syscall.Mount(source, target, fstype, flags, data); err != nil {
		return cannotRun{fmt.Sprintf("may not mount %s %s: %v", fstype, target, err)}
	}
	return nil
}
