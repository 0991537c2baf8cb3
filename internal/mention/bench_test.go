package mention_test

import (
	"testing"

	"github.com/rcpt/rcpt/internal/mention"
)

func BenchmarkIn(b *testing.B) {
	s, err := mention.Of([]string{"zoe.quill@d7.example"})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s.In("17,Person a4e5f Name,u17.8a7d66f@d17.example,City 17\n")
	}
}
