package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// keyHash is all that is kept of a key. Hashes have one length, so comparing them in constant time tells nothing about the key's.
type keyHash [sha256.Size]byte

func hashKey(key string) keyHash { return sha256.Sum256([]byte(key)) }

// authorized lets requests through that show the key, in a header or in the query parameter.
func (s *Server) authorized(parameter string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		shown := hashKey(shownKey(r, parameter))
		switch {
		case subtle.ConstantTimeCompare(shown[:], s.key[:]) == 1:
			next(w, r)
		case s.wrongKeys.allow(r):
			w.Header().Set("WWW-Authenticate", "Bearer") // RFC 9110 §15.5.2
			writeError(w, http.StatusUnauthorized, "Unauthorized")
		default:
			w.Header().Set("Connection", "close")
			w.Header().Set("Retry-After", retryAfter)
			writeError(w, http.StatusTooManyRequests, "Too many requests without a right key.")
		}
	}
}

// shownKey is the key of a request: the first of bearer token, X-API-Key and query parameter that there is. What is given more than once shows
// none: programs differ on which of them counts.
func shownKey(r *http.Request, parameter string) string {
	authorization, own := r.Header["Authorization"], r.Header["X-Api-Key"]
	if len(authorization) > 1 || len(own) > 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return strings.TrimLeft(token, " ")
	}
	if key := r.Header.Get("X-API-Key"); key != "" {
		return key
	}
	if given := queryOf(r).values[parameter]; len(given) == 1 {
		return given[0]
	}
	return ""
}
