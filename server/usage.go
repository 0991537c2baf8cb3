package server

import (
	"net/http"

	"github.com/rcpt/rcpt/server/keyring"
)

// UsageStore is what the usage of keys is read from.
type UsageStore interface{}

func (s *Server) usage(w http.ResponseWriter, r *http.Request, grant *keyring.Grant) bool {
	return false
}
