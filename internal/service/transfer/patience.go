package transfer

import (
	"io"
	"net/http"
	"time"

	"github.com/rcpt/rcpt/internal/exchange"
)

// Patient returns the body of a request, which may take long: it ends if
// nothing arrives for a time, or if it creeps.
func Patient(w http.ResponseWriter, body io.Reader, patience time.Duration) io.Reader {
	return &exchange.SpeedReader{From: &patientReader{body, patience, http.NewResponseController(w), time.Time{}}}
}

type patientReader struct {
	from     io.Reader
	patience time.Duration
	control  *http.ResponseController
	at       time.Time // of the present limit
}

func (p *patientReader) Read(into []byte) (int, error) {
	if now := time.Now(); now.Sub(p.at) > p.patience/10 {
		p.at = now
		_ = p.control.SetReadDeadline(now.Add(p.patience)) // a recorder has none
		_ = p.control.SetWriteDeadline(now.Add(5 * p.patience))
	}
	return p.from.Read(into)
}

// patientWriter gives an answer more time whenever some of it is written.
type patientWriter struct {
	http.ResponseWriter
	patience time.Duration
	at       time.Time    // of the present limit
	first    func() error // before the first octet; an error keeps it back
	begun    bool
}

func (p *patientWriter) Write(octets []byte) (int, error) {
	if !p.begun {
		if err := p.first(); err != nil {
			return 0, err
		}
		p.begun = true
	}
	if now := time.Now(); now.Sub(p.at) > p.patience/10 {
		p.at = now
		_ = http.NewResponseController(p.ResponseWriter).SetWriteDeadline(now.Add(p.patience))
	}
	return p.ResponseWriter.Write(octets)
}
