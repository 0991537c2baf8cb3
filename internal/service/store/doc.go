// Package store keeps what must outlive the process: API keys, accounts,
// settings, usage, quotas, remembered verdicts, the addresses that are to be
// re-checked, the webhooks that are to be sent, and jobs: lists that are
// verified in the background. It is the only package that knows SQL.
//
// One text of SQL serves two engines. SQLite, in a file of the data folder, is
// the default: write-ahead log, synchronous=FULL, one connection that writes
// and some that read; the folder belongs to one process at a time. PostgreSQL
// is for several nodes on one database: any number of them may have it open,
// and conditional updates and leases coordinate them. The differences between
// the engines are in dialect.go.
//
// # When a method returns
//
// Methods that take a context and return an error have committed if the error
// is nil: a key, a revocation, an account, a setting, a reservation of quota
// survives kill -9 and, as far as the disk keeps its promises, a power cut.
// After an error nothing was stored, except perhaps if the connection to
// PostgreSQL was lost during the commit.
//
// Methods without an error ([Store.RecordUse], [Store.TouchKey],
// [Store.PutVerdict], [Store.ScheduleRecheck]) queue a small write and never
// wait. The queue is committed ten times a second, at [Store.Flush] and at
// [Store.Close]: a process that is killed loses less than a second of them.
// After a commit of unknown outcome the same batch is committed again, under
// its number, and counts once. While the database cannot be written to they are
// kept, up to a limit; writes beyond it are dropped and counted in
// [Stats.Dropped].
//
// # Secrets and addresses
//
// Of secrets (keys, session cookies, set-up links) the store has only the
// SHA-256, of passwords the text that the caller's password hash produces. The
// secrets of webhooks are in clear, because they sign. A verdict is found by a
// salted hash of its address, and the caller keeps the address out of what is
// stored with it. A hash does not hide an address from somebody with the whole
// database and a list of addresses to try. Addresses in clear are only in a
// [Recheck], because it must be asked about again, and is deleted when it is
// done or given up; and in jobs, until they are deleted or expire.
// [Store.ForgetTexts], package jobs and [Store.Scrub] erase one from all of
// that; docs/privacy.md says of each table what it has of people.
//
// Times are stored as milliseconds since 1970 in BIGINT, JSON as TEXT. The
// clocks of several nodes must agree to within a few seconds.
package store
