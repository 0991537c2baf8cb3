package rcpt

// Brief is a result for the browser of the person who typed the address: what a
// form shows, with JSON tags. It has neither the mail host and its words nor
// our own names and addresses, and does not say of a spam trap that it is one.
type Brief struct {
	Email      string  `json:"email"`
	Verdict    Verdict `json:"result"`
	Reason     Reason  `json:"reason"`
	Message    string  `json:"message"` // for people, in English
	Suggestion string  `json:"suggestion,omitempty"`
	AcceptAll  bool    `json:"accept_all"`
	Role       bool    `json:"role"`
	Free       bool    `json:"free_email"`
	Disposable bool    `json:"disposable"`
}

// Brief returns the part of r that may be sent to a browser. It gives a spam
// trap the reason of an address that the settings exclude, [ReasonNotAsked]: a
// form would otherwise tell spammers which addresses of their lists are traps.
func (r Result) Brief() Brief {
	reason, message := r.Reason, r.Message
	if reason == ReasonSpamTrap {
		reason, message = ReasonNotAsked, ReasonNotAsked.Message()
	}
	return Brief{
		Email: r.Email, Verdict: r.Verdict, Reason: reason, Message: message, Suggestion: r.Suggestion,
		AcceptAll: r.AcceptAll, Role: r.Role, Free: r.Free, Disposable: r.Disposable,
	}
}
