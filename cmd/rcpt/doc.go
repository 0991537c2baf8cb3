// Command rcpt tells whether e-mail addresses can receive mail.
//
// It reads the command line, the environment and the configuration file, hands the work to the packages engine and server, and prints
// what comes of it: results on standard output, everything else on standard error. The exit code is 0 when the work was done, whatever
// the verdicts, 1 when it could not be done, and 2 for wrong usage. Nothing about verification itself is decided here.
package main
