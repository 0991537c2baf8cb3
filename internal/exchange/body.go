package exchange

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
)

// ReadBody reads a JSON text of at most that many octets. Every error is a
// [Fault].
func ReadBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != "application/json" || r.Header.Get("Content-Encoding") != "" {
		return nil, &Fault{
			http.StatusUnsupportedMediaType, MediaTypeNotTaken,
			"Send JSON, without compression, with the header Content-Type: application/json.",
		}
	}
	tooLarge := &Fault{
		http.StatusRequestEntityTooLarge, BodyTooLarge, fmt.Sprintf("The body is longer than %d octets.", most),
	}
	if r.ContentLength > most {
		return nil, tooLarge
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var limit *http.MaxBytesError
	switch {
	case errors.As(err, &limit):
		return nil, tooLarge
	case err != nil:
		return nil, BadRequest(InvalidBody, "The body is incomplete or did not arrive in time.")
	}
	return text, nil
}
