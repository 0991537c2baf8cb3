// Package client tests server/client against the service. The tests are not
// beside the client, because programs that import it would need the sums of all
// that the service is made of.
package client
