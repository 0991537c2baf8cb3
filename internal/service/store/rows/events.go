package rows

import (
	"regexp"
	"time"
)

// Source is how somebody did something.
type Source string

// The sources.
const (
	FromPage    Source = "page"    // of the dashboard
	FromAPI     Source = "api"     // with a key
	FromCommand Source = "command" // rcpt on a server
	FromProxy   Source = "proxy"   // one that signs people in
)

// Actor is who does something. The zero Actor is nobody, and its changes are
// refused.
type Actor struct {
	From Source
	// ID is that of an account or a key; empty: a visitor who is not signed
	// in, or somebody at the command line.
	ID   string
	Name string // the login, the name of the key, or the user of the system
}

// ByAccount is somebody who is signed in.
func ByAccount(id, login string) Actor { return Actor{FromPage, id, login} }

// ByVisitor is somebody who is not signed in.
func ByVisitor() Actor { return Actor{From: FromPage} }

// ByKey is a program with a key.
func ByKey(id, name string) Actor { return Actor{FromAPI, id, name} }

// ByProxy is what the proxy says of somebody whom it has signed in.
func ByProxy(login string) Actor { return Actor{From: FromProxy, Name: login} }

// ByCommand is a user of the operating system.
func ByCommand(user string) Actor { return Actor{From: FromCommand, Name: user} }

// Event is something that somebody did.
type Event struct {
	ID     string // made when it is stored, as At is
	At     time.Time
	By     Actor
	What   What
	Object string // the ID of what was changed
	Name   string // of the object, for people
	Detail string // a word or two, such as the new role
}

// What is a kind of event.
type What string

// The kinds.
const (
	KeyCreated What = "key.created"
	KeyChanged What = "key.changed"
	KeyRotated What = "key.rotated"
	KeyRevoked What = "key.revoked"

	ListCreated    What = "list.created"
	ListPaused     What = "list.paused"
	ListResumed    What = "list.resumed"
	ListCancelled  What = "list.cancelled"
	ListAgain      What = "list.again"
	ListDeleted    What = "list.deleted"
	ListDownloaded What = "list.downloaded"

	WebhookTested        What = "webhook.tested"
	WebhookResent        What = "webhook.resent"
	WebhookSecretChanged What = "webhook.secret_changed"

	AddressesForgotten What = "addresses.forgotten"

	SignedIn     What = "sign_in"
	SignInFailed What = "sign_in.failed"
	SignedOut    What = "sign_out"

	AccountCreated  What = "account.created"
	RoleChanged     What = "account.role"
	PasswordChanged What = "account.password"
	AccountRemoved  What = "account.removed"
	Invited         What = "invitation.created"
	InviteRevoked   What = "invitation.revoked"
	Joined          What = "invitation.accepted"
)

// Whats are the kinds with the words that a reader sees after the name of who
// did it.
var Whats = []struct {
	What  What
	Words string
}{
	{KeyCreated, "created a key"},
	{KeyChanged, "changed a key"},
	{KeyRotated, "replaced a key"},
	{KeyRevoked, "revoked a key"},
	{ListCreated, "began a list"},
	{ListPaused, "paused a list"},
	{ListResumed, "resumed a list"},
	{ListCancelled, "cancelled a list"},
	{ListAgain, "had a list verified again"},
	{ListDeleted, "deleted a list"},
	{ListDownloaded, "downloaded results"},
	{WebhookTested, "tested a webhook"},
	{WebhookResent, "sent a webhook again"},
	{WebhookSecretChanged, "changed the secret of webhooks"},
	{AddressesForgotten, "had addresses erased"},
	{SignedIn, "signed in"},
	{SignInFailed, "failed to sign in"},
	{SignedOut, "signed out"},
	{AccountCreated, "created an account"},
	{RoleChanged, "changed the role of an account"},
	{PasswordChanged, "changed the password of an account"},
	{AccountRemoved, "removed an account"},
	{Invited, "invited somebody"},
	{InviteRevoked, "revoked an invitation"},
	{Joined, "accepted an invitation"},
}

// Words says what somebody did.
func (w What) Words() string {
	for _, kind := range Whats {
		if kind.What == w {
			return kind.Words
		}
	}
	return string(w) // of a later version
}

// domain is what makes an address of a text, with the "@" as package mention
// reads it, or as letters of Asia have it.
var domain = regexp.MustCompile(`(?i)(@|%40|\\u0040|[\x{FE6B}\x{FF20}])\S*`)

// WithoutAddress cuts addresses off at their "@", because events have none:
// people choose their address as login, and as the name of a key.
func WithoutAddress(name string) string { return domain.ReplaceAllString(name, "@…") }

// EventQuery selects events.
type EventQuery struct {
	By     string // the ID of an account or a key; empty: everybody
	What   What   // empty: every kind
	Before string // the ID of an event: those before it; empty: from the newest on
	Limit  int
}
