package dashboard

import "testing"

// TestPasswordForms: a password is the same in whichever form its letters are
// sent, and one that an earlier version has stored in another form still works.
func TestPasswordForms(t *testing.T) {
	p := newPasswords()
	const composed, decomposed = "gr\u00fc\u00dfe an alle", "gru\u0308\u00dfe an alle"
	stored, err := p.hash(t.Context(), decomposed)
	if err != nil {
		t.Fatal(err)
	}
	salt := make([]byte, saltLength)
	old := hashText(salt, p.derive([]byte(decomposed), salt))
	for _, c := range []struct {
		stored, given string
		want          bool
	}{
		{stored, composed, true}, {stored, decomposed, true}, {stored, "gru\u00dfe an alle", false},
		{old, decomposed, true}, {old, composed, false},
	} {
		got, err := p.matches(t.Context(), c.stored, c.given)
		if err != nil || got != c.want {
			t.Errorf("%+q: %v, %v", c.given, got, err)
		}
	}
}
