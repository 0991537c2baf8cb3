package dashboard

import (
	"encoding/json"
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/web/snippets"
)

// recordText is the result as the API gives it to a request with details=1, in
// lines.
func recordText(r rcpt.Result) string {
	details := *r.Details
	details.Transcript = nil // the page shows it, and it is long
	r.Details = &details
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return ""
	}
	return string(text)
}

// curlText is the program of the page API for this address. It is to be pasted
// into a shell, and the address can be anything.
func curlText(base, email string) string {
	quoted := "'email=" + strings.ReplaceAll(email, "'", `'\''`) + "'"
	for _, s := range snippets.Of(base, "") {
		if s.ID == "curl" {
			return strings.Replace(s.Code, "email="+sampleAddress, quoted, 1) + " \\\n  --data-urlencode details=1"
		}
	}
	return ""
}

// sampleAddress is that of the programs to copy.
const sampleAddress = "someone@example.com"
