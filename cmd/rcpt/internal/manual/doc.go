// Package manual writes what users read about the command line, from kong's
// model of it: the help of each command, the man page, and the candidates and
// scripts of shell completion. It knows no command of rcpt by name.
package manual
