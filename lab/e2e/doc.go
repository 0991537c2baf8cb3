// Package e2e checks the rcpt command against mail and DNS servers that this
// project did not write: Postfix with postgrey and postscreen, Exim, OpenSMTPD,
// NSD and Unbound, all from the distribution's packages and answering in their
// own words.
//
// There is nothing to import here. The suite is built with the tag e2e and
// needs Linux, root and apt-get; README.md tells how to run it and what it
// covers.
package e2e
