package alert

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail"
)

// Mail sends messages by e-mail through a relay (RFC 6409).
type Mail struct {
	From  string
	To    []string
	host  string
	relay []mail.Option
}

var errRelay = errors.New("a relay is smtp://[USER:PASSWORD@]HOST[:PORT] or smtps://…; " +
	"the value is not shown because it may be secret")

// NewMail returns a sender. A relay smtp:// has to offer STARTTLS unless it is
// on this machine; smtps:// is TLS from the beginning.
func NewMail(relay, from string, to []string) (*Mail, error) {
	u, err := url.Parse(relay)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return nil, errRelay
	}
	if u.Hostname() == "" || strings.Trim(u.Path, "/") != "" {
		return nil, errRelay
	}
	m := &Mail{From: from, To: to, host: u.Hostname()}
	port := 587
	if u.Scheme == "smtps" {
		port = 465
	}
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil {
			return nil, errRelay
		}
	}
	user := u.User.Username()
	password, _ := u.User.Password()
	m.relay = []mail.Option{mail.WithPort(port), mail.WithTimeout(sendTimeout), mail.WithTLSPolicy(mail.TLSMandatory)}
	if u.Scheme == "smtps" {
		m.relay = append(m.relay, mail.WithSSL())
	} else if isLocal(u.Hostname()) {
		m.relay = append(m.relay, mail.WithTLSPolicy(mail.NoTLS))
	}
	if user != "" {
		m.relay = append(m.relay, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(user),
			mail.WithPassword(password))
	}
	if _, err := m.message(Message{}); err != nil {
		return nil, err
	}
	return m, nil
}

func isLocal(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Send sends a message.
func (m *Mail) Send(ctx context.Context, about Message) error {
	message, err := m.message(about)
	if err != nil {
		return err
	}
	return m.send(ctx, message)
}

func (m *Mail) send(ctx context.Context, message *mail.Msg) error {
	client, err := mail.NewClient(m.host, m.relay...)
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	if err := client.DialAndSendWithContext(ctx, message); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	return nil
}

func (m *Mail) message(about Message) (*mail.Msg, error) {
	text := about.Text + "\n"
	if about.Do != "" {
		text += "\n" + about.Do + "\n"
	}
	text += fmt.Sprintf("\nServer: %s\nEvent: %s\nTime: %s\n", about.Server, about.Event, about.At.Format(time.RFC3339))
	return m.letter(m.To, about.title(), text)
}

// SendTo sends a text to one address through the relay.
func (m *Mail) SendTo(ctx context.Context, to, subject, text string) error {
	message, err := m.letter([]string{to}, subject, text)
	if err != nil {
		return err
	}
	return m.send(ctx, message)
}

// letter makes a message. It fails for addresses and names that would break a
// header.
func (m *Mail) letter(to []string, subject, text string) (*mail.Msg, error) {
	message := mail.NewMsg()
	if err := message.From(m.From); err != nil {
		return nil, fmt.Errorf("the sender of alerts: %w", err)
	}
	if err := message.To(to...); err != nil {
		return nil, fmt.Errorf("the recipient of alerts: %w", err)
	}
	message.Subject(strings.Join(strings.Fields(subject), " "))
	message.SetDate()
	message.SetMessageID()
	message.SetBodyString(mail.TypeTextPlain, text)
	return message, nil
}
