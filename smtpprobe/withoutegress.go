package smtpprobe

// withoutEgress is the account of a session that there is no way for.
func withoutEgress(a *job) *Session {
	f := &Failure{Phase: PhaseConnect, Kind: KindEgress, Text: errNoEgress.Error()}
	return &Session{
		Host: truncate(clean(a.route.host), maxDomain), Addr: a.route.addr, Failure: f,
		Transcript: []Line{{From: fromProber, Text: f.Error()}},
	}
}
