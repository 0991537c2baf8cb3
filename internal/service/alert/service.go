package alert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/discord"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/slack"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/telegram"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/incident/pagerduty"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/ntfy"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"
)

// kind is a service that shoutrrr knows.
type kind struct {
	form   string // of its URL
	make   func() types.Service
	params func(Message) types.Params
}

// kinds are the services by the schemes of their URLs. Each is imported by
// itself: all that shoutrrr has would make the program larger by 3 MB.
var kinds = map[string]kind{
	"slack":     {"slack://hook:AAA-BBB-CCC@webhook", service[slack.Service], titled},
	"discord":   {"discord://TOKEN@WEBHOOK_ID", service[discord.Service], inOnePiece},
	"telegram":  {"telegram://ID:TOKEN@telegram?chats=CHAT", service[telegram.Service], titled},
	"ntfy":      {"ntfy://[USER:PASSWORD@]HOST/TOPIC", service[ntfy.Service], titled},
	"pagerduty": {"pagerduty://[HOST]/INTEGRATION_KEY", service[pagerduty.Service], incident},
}

func service[T any, P interface {
	*T
	types.Service
}]() types.Service {
	return P(new(T))
}

func titled(m Message) types.Params { return types.Params{types.TitleKey: m.title()} }

// inOnePiece keeps Discord's message together: else each line gets a frame.
func inOnePiece(m Message) types.Params {
	return types.Params{types.TitleKey: m.title(), "splitLines": "No"}
}

// incident opens an incident for a problem, and resolves it when it is over.
func incident(m Message) types.Params {
	const longest = 255 // octets of the key
	key := fmt.Sprintf("rcpt %s %s %s", m.Server, m.Event, m.Subject)
	params := types.Params{"dedup_key": key[:min(len(key), longest)], "action": "trigger", "source": m.Server}
	if m.State == StateRecovered {
		params["action"] = "resolve"
	}
	return params
}

// errService says how the URL of a service is written.
var errService = errors.New("write slack://hook:AAA-BBB-CCC@webhook, teams+https://…, " +
	"discord://TOKEN@WEBHOOK_ID, telegram://ID:TOKEN@telegram?chats=CHAT, ntfy://[USER:PASSWORD@]HOST/TOPIC " +
	"or pagerduty://[HOST]/INTEGRATION_KEY; the value is not shown because it may be secret")

// Service sends messages by a service such as Slack. One message at a time is
// sent.
type Service struct {
	name    string
	kind    kind
	url     url.URL
	secrets []string
	running *sending // or nil
}

// sending is a message on its way.
type sending struct {
	message Message
	done    chan struct{}
	err     error // when done is closed
}

// NewService returns a sender for the URL of a service. Neither its errors nor
// those of the sender show anything of the URL but its scheme and host.
func NewService(text string) (Sender, error) {
	if card, found := strings.CutPrefix(text, "teams+"); found {
		return newTeams(card)
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, errService
	}
	k, known := kinds[u.Scheme]
	if !known {
		return nil, errService
	}
	mendTelegram()
	s := &Service{name: u.Scheme, kind: k, url: *u, secrets: secretsOf(u)}
	if _, err := s.new(); err != nil {
		return nil, fmt.Errorf("the URL of a service is %s, and maybe options behind it; "+
			"the value is not shown because it may be secret", k.form)
	}
	return s, nil
}

// new returns a service. One that has sent a message keeps parts of it:
// ntfy would send the first title for ever.
func (s *Service) new() (types.Service, error) {
	service, u := s.kind.make(), s.url
	if s.name == pagerduty.Scheme && u.Port() == "" { // shoutrrr 0.13 would ask no host at port 0
		u.Host = cmp.Or(u.Host, "events.pagerduty.com") + ":443"
	}
	return service, service.Initialize(&u, nil)
}

// Send sends a message. Services know no context: one that is slow goes on when
// ctx has ended, and a second try of the same message waits for the first, so
// that it is not sent twice.
func (s *Service) Send(ctx context.Context, m Message) error {
	for {
		if s.running == nil {
			s.running = s.start(m)
		}
		select {
		case <-s.running.done:
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", s.name, ctx.Err())
		}
		ended := s.running
		s.running = nil
		if ended.message == m {
			return s.explain(ended.err)
		}
	}
}

func (s *Service) start(m Message) *sending {
	now := &sending{message: m, done: make(chan struct{})}
	go func() {
		defer close(now.done)
		service, err := s.new()
		if err == nil {
			params := s.kind.params(m)
			err = service.Send(m.short(), &params)
		}
		now.err = err
	}()
	return now
}

var (
	urls     = regexp.MustCompile(`"?[a-z]+://[^\s"]*"?:?`)
	statuses = regexp.MustCompile(`\b[345][0-9][0-9]\b`)
)

// explain says why a message was not sent, in words that have nothing of the
// URL in them: services put it into their errors, and answers may repeat it.
func (s *Service) explain(err error) error {
	if err == nil {
		return nil
	}
	text := strings.Join(strings.Fields(urls.ReplaceAllString(err.Error(), "")), " ")
	switch status := statuses.FindString(text); {
	case !s.shows(text):
		return fmt.Errorf("%s: %s", s.name, cut(text, longestReason))
	case status != "":
		return fmt.Errorf("%s: the service answered %s", s.name, status)
	}
	return fmt.Errorf("%s: the message could not be sent", s.name)
}

// longestReason bounds an error, in characters: some have a whole page.
const longestReason = 200

// shows reports whether a text has a part of the URL in it.
func (s *Service) shows(text string) bool {
	text = strings.ToLower(text)
	for _, secret := range s.secrets {
		if strings.Contains(text, secret) {
			return true
		}
	}
	return false
}

// leastSecret is the length from which letters and digits in a row may be a
// part of a secret.
const leastSecret = 5

// secretsOf returns what may be secret of a URL, in lower case: the password,
// or else the user, as it is, and of everything but the host the letters and
// digits in a row, because services take the parts of a token apart.
func secretsOf(u *url.URL) []string {
	password, _ := u.User.Password()
	parts := []string{cmp.Or(password, u.User.Username()), u.User.Username(), u.Path, u.Opaque, u.Fragment}
	if u.Scheme == "slack" && u.Path != "" {
		parts = append(parts, u.Host) // an older form: slack://AAA/BBB/CCC
	}
	for _, values := range u.Query() {
		parts = append(parts, values...)
	}
	var all []string
	for i, part := range parts {
		part = strings.ToLower(part)
		if i == 0 && part != "" {
			all = append(all, part)
		}
		for _, run := range strings.FieldsFunc(part, notInRun) {
			if len(run) >= leastSecret {
				all = append(all, run)
			}
		}
	}
	return all
}

func notInRun(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// title is the message in a line.
func (m Message) title() string {
	state := map[string]string{StateProblem: "Problem", StateRecovered: "Recovered"}[m.State]
	return fmt.Sprintf("[rcpt] %s: %s", state, strings.Join(strings.Fields(m.Subject), " "))
}

// longestText is what every service takes, in characters: PagerDuty 1024.
const longestText = 1000

// short is the message as a few lines, as chats show them.
func (m Message) short() string {
	text := m.Text
	if m.Do != "" {
		text += "\n" + m.Do
	}
	return fmt.Sprintf("%s\n%s, %s", cut(text, longestText), m.Server, m.Event)
}

// cut shortens a text to so many characters.
func cut(text string, longest int) string {
	if all := []rune(text); len(all) > longest {
		return string(all[:longest]) + "…"
	}
	return text
}
