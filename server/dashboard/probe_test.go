package dashboard
import ("testing";"time";"github.com/rcpt/rcpt/store")
func TestProbe(t *testing.T) { w := newWorld(t, nil)
 a,err := w.store.CreateAccount(t.Context(), store.Account{Login:"x",Password:"y"}); t.Log(a,err)
 s := store.Session{Hash:store.HashOf("a"),Account:a.ID,Expires:w.clock.Now().Add(time.Hour)}
 t.Log(w.store.CreateSession(t.Context(), s))
 t.Log(w.store.Session(t.Context(), s.Hash))
}
