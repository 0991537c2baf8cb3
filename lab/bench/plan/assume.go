package plan

import "time"

// What is assumed of mail hosts and lists. Real ones differ; docs/planning.md
// says what follows.
const (
	// reply is the time of a reply: a round trip, and what the host takes.
	reply = 150 * time.Millisecond
	// opening is what there is before MAIL: the connection, the greeting, EHLO,
	// STARTTLS, two round trips of TLS, and EHLO.
	opening = 7 * reply
	// perRecipient is the time of a reply to RCPT: large providers look the
	// mailbox up.
	perRecipient = 100 * time.Millisecond
	// refused is the share of the addresses that do not exist.
	refused = 0.1

	// Small providers have a mail host and as many addresses each. The DNS is
	// asked for it and for its address. A share does not answer, which takes as
	// long as rcpt waits for a connection.
	smallDomain = 1
	lookedUp    = 2 * reply
	silent      = 0.05
	silence     = 6 * time.Second

	// maxSessions and concurrency are defaults of rcpt bulk: sessions in all,
	// and addresses in progress.
	maxSessions = 1000
	concurrency = 500
)

// Mix is how the addresses of a list are shared out among providers. The rest
// is at small providers.
type Mix struct {
	Name   string
	Source string
	Parts  []Part
}

// Part is what one provider, by its pacing name, has of a list.
type Part struct {
	Provider string
	Share    float64
	Networks int // in which the mail hosts of its domains are at a time
	Domain   int // addresses of a domain; zero: one domain has all
}

// Mixes are the lists of the page.
func Mixes() []Mix {
	return []Mix{
		{
			Name:   "consumers",
			Source: "2.3 million addresses of a list from the USA, counted by Daniel Lange (daniel-lange.com)",
			Parts:  []Part{{"google", 0.39, 1, 0}, {"microsoft", 0.35, 4, 0}, {"yahoo", 0.18, 4, 0}},
		},
		{
			Name: "businesses",
			Source: "the mail hosts of 50,000 domains, MailTester Ninja, 2 July 2026 (CC BY 4.0), " +
				"as if each domain had as many addresses",
			Parts: []Part{
				{"google", 0.283, 1, 3}, {"microsoft", 0.226, 50, 3},
				{"proofpoint", 0.055, 20, 3}, {"mimecast", 0.031, 10, 3},
			},
		},
	}
}
