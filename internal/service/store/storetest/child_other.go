//go:build unix && !linux

package storetest

import "syscall"

func dyingWithUs(owner *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: owner}
}
