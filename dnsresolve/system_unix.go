//go:build unix

package dnsresolve

// systemServers returns the servers of resolv.conf(5).
func systemServers() (hosts []string, port string, err error) { return fileServers("/etc/resolv.conf") }
