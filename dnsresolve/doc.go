// Package dnsresolve
package dnsresolve
