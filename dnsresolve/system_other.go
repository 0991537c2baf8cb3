//go:build !unix && !windows

package dnsresolve

// systemServers knows no servers of this system.
func systemServers() (hosts []string, port string, err error) { return nil, "", errNoServers }
