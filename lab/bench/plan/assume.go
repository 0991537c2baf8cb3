package plan

import "time"

// What is assumed of mail hosts and lists. Real ones differ; docs/planning.md
// says what follows.
const (
	// opening is what a session takes besides its recipients: connection,
	// greeting, EHLO, STARTTLS, EHLO, MAIL, RSET and QUIT at 150 ms a reply.
	opening = 1500 * time.Millisecond
	// perRecipient is the time of a reply to RCPT: large providers look the
	// mailbox up.
	perRecipient = 100 * time.Millisecond
	// named is how many recipients are named for one address: random ones, and
	// mailboxes that prove a refusal, among them.
	named = 1.1
	// refused is the share of the addresses that do not exist.
	refused = 0.1
	// refusals end a session: the first limit of a mail host in rcpt, which
	// grows where a host takes more.
	refusals = 9

	// Addresses of small providers, of which no limit is reached: so many share
	// a session, which takes so long, dead mail hosts among them.
	restPerSession = 3
	restSession    = 3 * time.Second

	// maxSessions and concurrency are defaults of rcpt bulk: sessions in all,
	// and addresses in progress, of which those of large providers that wait
	// for their turn are none.
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
}

// Mixes are the lists of the page.
func Mixes() []Mix {
	return []Mix{
		{
			Name:   "consumers",
			Source: "2.3 million addresses of a list from the USA, counted by Daniel Lange (daniel-lange.com)",
			Parts:  []Part{{"google", 0.39}, {"microsoft", 0.35}, {"yahoo", 0.18}},
		},
		{
			Name: "businesses",
			Source: "the mail hosts of 50,000 domains, MailTester Ninja, 2 July 2026 (CC BY 4.0), " +
				"as if each domain had as many addresses",
			Parts: []Part{{"google", 0.283}, {"microsoft", 0.226}, {"proofpoint", 0.055}, {"mimecast", 0.031}},
		},
	}
}
