package rcpt

// ListKind names a kind of list.
type ListKind string

// Confidence is how reliable an entry of a list is.
type Confidence string

// Match is an entry of a list that an address matched. Package lists has the
// kinds and the confidences.
type Match struct {
	List   ListKind `json:"list"`
	Entry  string   `json:"entry"`  // as it stands in the list
	Source string   `json:"source"` // where the entry comes from: packages and versions, or a user's file
	// the kind of a role, the family of a free provider, the service of a relay
	// or of disposable addresses
	Group      string     `json:"group,omitempty"`
	Confidence Confidence `json:"confidence,omitempty"`
}
