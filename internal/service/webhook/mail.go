package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Mailer sends a mail to one address. The server's relay does.
type Mailer interface {
	SendTo(ctx context.Context, to, subject, text string) error
}

// accepted is the status of a mail that the relay has taken (RFC 5321 §4.2.3).
const accepted = 250

// mail sends a webhook that goes to an address: the end of a list.
func (s *Sender) mail(ctx context.Context, w rows.ClaimedWebhook, to string, t *rows.WebhookTry) {
	if s.config.Mailer == nil {
		t.Error = "this server has no mail relay"
		return
	}
	subject, text, err := s.letter(w)
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, tryTimeout)
		defer cancel()
		err = s.config.Mailer.SendTo(ctx, to, subject, text)
	}
	if err != nil {
		t.Error = readable(err.Error())
		return
	}
	t.Status, t.Answer = accepted, "the mail relay has taken it"
}

// letter is what a mail says of the end of a list.
func (s *Sender) letter(w rows.ClaimedWebhook) (subject, text string, err error) {
	var event struct {
		Data struct {
			ID, Name, State, Problem string
			Rows, Addresses, Done    int64
			Results                  map[string]int64
		}
	}
	if err := json.Unmarshal(w.Body, &event); err != nil {
		return "", "", errors.New("the mail cannot be written")
	}
	j := event.Data
	name := strings.Join(strings.Fields(readable(j.Name)), " ")
	if name == "" {
		name = j.ID
	}
	subject = fmt.Sprintf("[rcpt] %s: %s", j.State, name)
	var out strings.Builder
	fmt.Fprintf(&out, "The list %s is %s: %d of %d addresses in %d rows have a result.\n\n",
		name, j.State, j.Done, j.Addresses, j.Rows)
	for _, result := range slices.Sorted(maps.Keys(j.Results)) {
		fmt.Fprintf(&out, "%9d  %s\n", j.Results[result], result)
	}
	if j.Problem != "" {
		fmt.Fprintf(&out, "\n%s\n", j.Problem)
	}
	if s.config.PublicURL != "" {
		fmt.Fprintf(&out, "\n%s/lists/%s\n", s.config.PublicURL, j.ID)
	}
	out.WriteString("\nThis address was named when the list was sent. No further mail follows for it,\n" +
		"unless the list is verified again.\n")
	return subject, out.String(), nil
}
