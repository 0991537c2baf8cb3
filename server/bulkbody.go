package server

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// patientBody reads a body that may take long, as long as something arrives.
type patientBody struct {
	x    *exchange
	body io.Reader
	at   time.Time
}

func (b *patientBody) Read(p []byte) (int, error) {
	if now := time.Now(); now.Sub(b.at) > readTimeout/10 {
		b.at = now
		_ = http.NewResponseController(b.x).SetReadDeadline(now.Add(readTimeout)) // a recorder has none
	}
	return b.body.Read(p)
}

// extendWrite gives an answer that could not be written before its time.
func extendWrite(x *exchange) {
	_ = http.NewResponseController(x).SetWriteDeadline(time.Now().Add(readTimeout))
}

// printable reports whether a text is UTF-8 without control characters.
func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// readAddresses reads {"emails":[…],"name":…,"webhook":…,"webhook_progress":…}.
// Every error but those of add is a [fault].
func readAddresses(decoder *json.Decoder, u *upload, add func(email string) error) error {
	invalid := func(format string, values ...any) error {
		return badRequest(invalidBody, "The body, octet %d: %s", decoder.InputOffset(), fmt.Sprintf(format, values...))
	}
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return invalid(`it must be an object, such as {"emails":["alice@acme.example"]}.`)
	}
	seen := make(map[string]bool)
	for decoder.More() {
		token, err := decoder.Token()
		name, _ := token.(string)
		if err != nil {
			return invalid("it is no JSON.")
		}
		if seen[name] {
			return invalid("the member %.40q is there twice.", name)
		}
		seen[name] = true
		field := map[string]*string{"name": &u.name, "webhook": &u.webhook}[name]
		switch {
		case field != nil:
			var text *string
			if err := decoder.Decode(&text); err != nil {
				return invalid("%q must be a string.", name)
			}
			if text != nil {
				*field = *text
			}
		case name == "webhook_progress":
			var progress bool
			if err := decoder.Decode(&progress); err != nil {
				return invalid("%q must be true or false.", name)
			}
			u.switched = strconv.FormatBool(progress)
		case name != "emails":
			return invalid("there is no member %.40q: use emails, name, webhook and webhook_progress.", name)
		default:
			if err := readEmails(decoder, invalid, add); err != nil {
				return err
			}
		}
	}
	if _, err := decoder.Token(); err != nil {
		return invalid("it is no JSON, or not complete.")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return invalid("there is text after the object.")
	}
	if !seen["emails"] {
		return invalid(`"emails" is missing: an array of addresses.`)
	}
	return nil
}

func readEmails(decoder *json.Decoder, invalid func(string, ...any) error, add func(string) error) error {
	if start, err := decoder.Token(); err != nil || start != json.Delim('[') {
		return invalid(`"emails" must be an array of addresses.`)
	}
	for number := 0; decoder.More(); number++ {
		var email *string
		if err := decoder.Decode(&email); err != nil || email == nil {
			return invalid("emails[%d] must be a string.", number)
		}
		if err := add(*email); err != nil {
			return err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return invalid("it is no JSON, or not complete.")
	}
	return nil
}
