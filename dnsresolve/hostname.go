package dnsresolve

import "strings"

// isHostName reports whether a name without its trailing dot can be that of a
// host: labels of letters, digits and hyphens (RFC 1123 §2.1). As hosts in use
// require, underscores are allowed, and hyphens anywhere.
func isHostName(name string) bool {
	if len(name) > maxHostName {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > maxLabel || strings.ContainsFunc(label, notInHostName) {
			return false
		}
	}
	return true
}

func notInHostName(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
		return false
	}
	return true
}
