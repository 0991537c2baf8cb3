package replies

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestMeanings holds each class to what its fields mean together, and names the
// classes of each group, so that nobody sets a field, or forgets it, by chance.
func TestMeanings(t *testing.T) {
	ruled := map[Class]bool{}
	for _, r := range DefaultClassifier().rules().ordered {
		ruled[r.class] = true
	}
	for class, m := range meanings {
		if (m.dead || m.accepts) && m.about != ofMailbox || m.dead && m.accepts || m.putsOff && m.about != ofSession {
			t.Errorf("%s: %+v", class, m)
		}
		if ruled[class] == m.accepts {
			t.Errorf("%s: accepted %v, given by a rule %v", class, m.accepts, ruled[class])
		}
	}
	for group, tt := range map[string]struct {
		is   func(Class) bool
		want []Class
	}{
		"dead": {Class.Dead, []Class{ClassDisabled, ClassMoved, ClassNoSuchUser}},
		"about the mailbox": {Class.AboutMailbox, []Class{
			ClassDisabled, ClassMailboxFull, ClassMoved, ClassNoSuchUser, ClassOK, ClassOKUnverified,
		}},
		"asked about at RCPT": {func(c Class) bool { phases, _, _ := c.scope(); return phases != nil }, []Class{
			ClassDisabled, ClassMailboxFull, ClassMoved, ClassNoSuchUser, ClassNotOurDomain,
			ClassOK, ClassOKUnverified, ClassRestricted,
		}},
		"put off": {func(c Class) bool { return meanings[c].putsOff }, []Class{ClassGreylisted, ClassRateLimited}},
	} {
		var got []Class
		for _, class := range Classes() {
			if tt.is(class) {
				got = append(got, class)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", group, got, tt.want)
		}
	}
}

// TestEveryClassHasAMeaning compares the constants with the meanings.
func TestEveryClassHasAMeaning(t *testing.T) {
	source, err := os.ReadFile("class.go")
	if err != nil {
		t.Fatal(err)
	}
	constants := regexp.MustCompile(`(?m)^\tClass\w+ +Class = "(\w+)"`).FindAllSubmatch(source, -1)
	for _, constant := range constants {
		if _, ok := meanings[Class(constant[1])]; !ok {
			t.Errorf("%s has no meaning", constant[1])
		}
	}
	if len(constants) != len(meanings) {
		t.Errorf("%d constants, and %d meanings", len(constants), len(meanings))
	}
}
