// Package manual writes the documentation of a command line from kong's model
// of it: the help of each command, the man page, and the candidates and scripts
// of shell completion. It does not depend on the commands of rcpt.
package manual
