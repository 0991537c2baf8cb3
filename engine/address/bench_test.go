package address

import (
	"strings"
	"testing"
)

func BenchmarkParse(b *testing.B) {
	for name, s := range map[string]string{
		"ascii":    "firstname.lastname+tag@mail.example.com",
		"mixed":    "Firstname.Lastname@Mail.Example.COM",
		"quoted":   `"first name"@mail.example.com`,
		"u-label":  "info@bücher.example",
		"a-label":  "info@xn--bcher-kva.example",
		"eai":      "用户@例子.公司",
		"invalid":  "first..last@example.com",
		"distinct": "user@" + distinct(maxInput-100) + ".example",
		"1 MiB":    "user@example.com" + strings.Repeat(" ", 1<<20),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = Parse(s)
			}
		})
	}
}

func BenchmarkCleanOfHostileTexts(b *testing.B) {
	for name, s := range hostile() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				Clean(s)
			}
		})
	}
}

// distinct is n bytes or less of ideographs of which no two are equal, the
// worst that Punycode can be asked to encode.
func distinct(n int) string {
	var b strings.Builder
	for r := '\u4E00'; b.Len()+3 <= n; r++ {
		b.WriteRune(r)
	}
	return b.String()
}
