// Package store keeps what must outlive the process: API keys, accounts, settings, usage, quotas, remembered verdicts and the addresses that
// are to be asked about again. It is the only package that knows SQL.
//
// One text of SQL serves two engines. SQLite, in a file of the data folder, is the default: write-ahead log, synchronous=FULL, one connection
// that writes and some that read; the folder belongs to one process at a time. PostgreSQL is for several nodes on one database; any number of
// them may be open at once, and conditional updates and leases keep them apart. What the engines do not share is in dialect.go.
//
// # What has happened when a method returns
//
// Methods that take a context and return an error have committed when the error is nil: a key, a revocation, an account, a setting, a
// reservation of quota survives kill -9 and, as far as the disk keeps its promises, a power cut. After an error nothing was stored, unless the
// connection to PostgreSQL was lost during the commit: then it may have been.
//
// Methods without an error ([Store.RecordUse], [Store.TouchKey], [Store.PutVerdict], [Store.ScheduleRecheck]) queue a small write and never wait.
// The queue is committed ten times a second, at [Store.Flush] and at [Store.Close]: a process that is killed loses less than a second of
// them. While the database cannot be written to they are kept, up to a bound; what is beyond it is dropped and counted in [Stats.Dropped].
//
// # Secrets and addresses
//
// Secrets (keys, session cookies, set-up links) are known to the store by their SHA-256 alone, passwords as the text that the caller's password
// hash gives. A verdict is found by a salted hash of its address, and the caller keeps the address out of what is stored with it. A hash of an
// address is no secret to somebody with the whole database and a list of addresses to try. Only a [Recheck] holds an address in clear, because
// it must be asked about again; it is deleted when it is done or given up.
//
// Times are stored as milliseconds since 1970 in BIGINT, JSON as TEXT. Several nodes need clocks that agree to within a few seconds.
package store
