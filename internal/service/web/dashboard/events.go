package dashboard

import "github.com/rcpt/rcpt/internal/service/store"

// actor is the visitor, for the events of what the visit changes.
func (v *visit) actor() store.Actor {
	if v.account == nil {
		return store.ByVisitor()
	}
	return store.ByAccount(v.account.ID, v.account.Login)
}
