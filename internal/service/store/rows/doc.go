// Package rows has the plain data of package store that others pass around:
// keys, usage and quotas, jobs, webhooks, and the kinds of errors. It links no
// database, so that packages which need only the data do not know SQL, and
// their tests can keep it in memory. Package store has these names, too.
package rows
