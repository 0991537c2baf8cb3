// Package rows has the plain data of package store that others pass around:
// keys, their usage and quotas, and the kinds of errors. It links no database,
// so that a program that mounts the HTTP server, or keeps keys in a store of
// its own, need not link one either. Package store has these names, too.
package rows
