package exchange

import (
	"net/http"
	"slices"
	"strings"
)

// keyParameter is the query parameter for the key, and keyAlias another name
// for it.
const (
	keyParameter = "apikey"
	keyAlias     = "api_key"
)

// Key returns the key of a request: the first one present of query parameter,
// bearer token and X-API-Key. The parameter comes first because a client that
// has it may use the header for another service, such as a gateway. Two keys in
// one place are no key, because programs differ on which they use.
func (x *Exchange) Key(r *http.Request) string {
	if given := x.QueryOf(r).keys(); len(given) > 0 {
		return onlyKey(given)
	}
	authorization, own := r.Header["Authorization"], r.Header["X-Api-Key"]
	if len(authorization) > 1 || len(own) > 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return strings.TrimLeft(token, " ")
	}
	return r.Header.Get("X-Api-Key")
}

// onlyKey returns the key that all of the given are, or no key.
func onlyKey(given []string) string {
	if len(slices.Compact(given)) > 1 {
		return ""
	}
	return given[0]
}
