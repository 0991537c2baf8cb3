package dashboard

import "strings"

// aboutPath is the page for those who see our checks in their logs.
const aboutPath = "/about-verification"

// Asker is who asks mail hosts, as a page tells their postmasters.
type Asker struct {
	Name     string // that mail hosts see, in EHLO
	MailFrom string // the reverse-path; empty: the null one
	Contact  string // an address or a URL
}

// ContactURL is where the link to the contact leads.
func (a Asker) ContactURL() string {
	if strings.Contains(a.Contact, "://") {
		return a.Contact
	}
	return "mailto:" + a.Contact
}

// about is the path of the page, if there is one.
func (d *Dashboard) about() string {
	if d.config.Asker == nil {
		return ""
	}
	return aboutPath
}

// showAbout says who asks, why, and how to object.
func (d *Dashboard) showAbout(v *visit) error {
	return d.render(v, "about", page{Title: "Who asks about addresses, and why", Body: d.config.Asker})
}
