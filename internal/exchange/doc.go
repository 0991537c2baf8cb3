// Package exchange has what the handlers of HTTP requests share, apart from
// what they answer: the parameters of a query and a body in JSON, read
// strictly; errors with a status, a code and a message; the line in the log;
// bodies that are not wanted, or that creep; and panics. It knows nothing of
// addresses, keys or lists. The rules are in RFC 9110 and 9112.
package exchange
