// Package soak puts rcpt under load for minutes or hours in a world of mail on
// loopback in which little works as it should, and sees that it does not grow,
// get stuck, or say anything untrue.
//
// A [Spec] says everything about the world: its hosts, each of a kind
// (kinds.txt, and the hostile hosts of package smtptest), and what may be said
// about an address ([Judge]). A third of the
// hosts are honest and get most of the questions. The others are silent, slow,
// broken, hostile to clients, or of another mind every few seconds; a share of
// the DNS queries fails, whoever they are about.
//
// Three subjects work in it at the same time: "rcpt serve" and "rcpt bulk" as
// processes, and the engine as a library in the process of the soak. The world
// is a process of its own. What a subject takes up is read from outside (/proc)
// and from its runtime (--debug-listen, runtime/metrics).
package soak
