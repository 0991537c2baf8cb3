package pace

// Egress is one source address or proxy.
type Egress struct {
	limit int
	open  int
}

// NewEgress returns an egress without sessions. The settings have their
// defaults in place.
func NewEgress(s Settings) *Egress { return &Egress{limit: s.Egress.Sessions} }

// Sessions returns how many sessions are open.
func (e *Egress) Sessions() int { return e.open }

// MayOpen reports whether another session may begin; list: for a list, as in
// [Provider.MayOpen]. If not, it may when one has ended.
func (e *Egress) MayOpen(list bool) bool {
	limit := of(e.limit, list)
	return limit < 0 || e.open < limit
}

// Opened notes that a session begins.
func (e *Egress) Opened() { e.open++ }

// Closed notes that one has ended.
func (e *Egress) Closed() { e.open-- }
