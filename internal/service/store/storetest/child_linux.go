package storetest

import "syscall"

// dyingWithUs has the server end when the test process is killed. Linux sends
// the signal when the thread that started the server ends, which Go's threads
// do not do while the goroutines that run on them are not locked to them.
func dyingWithUs(owner *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: owner, Pdeathsig: syscall.SIGQUIT}
}
