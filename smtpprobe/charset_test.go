package smtpprobe

import (
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// TestRepliesInOtherEncodings reads refusals as servers of different countries send them.
func TestRepliesInOtherEncodings(t *testing.T) {
	for _, tt := range []struct {
		name     string
		encoding encoding.Encoding
		text     string
		want     Class
	}{
		{"UTF-8", encoding.Nop, "Пользователь не найден", ClassNoSuchUser},
		{"KOI8-R", charmap.KOI8R, "Пользователь не найден", ClassNoSuchUser},
		{"windows-1251", charmap.Windows1251, "Пользователь не найден", ClassNoSuchUser},
		{"Latin-1", charmap.ISO8859_1, "Empfänger existiert nicht", ClassNoSuchUser},
		{"windows-1252", charmap.Windows1252, "Boîte aux lettres pleine", ClassMailboxFull},
		{"ISO-2022-JP", japanese.ISO2022JP, "メールアドレスが存在しません", ClassNoSuchUser},
		{"GBK", simplifiedchinese.GBK, "用户不存在", ClassNoSuchUser},
		{"neither", encoding.Nop, "\xff\xfe\xfd\x80\x81", ClassAmbiguous},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, err := tt.encoding.NewEncoder().String(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			reply, err := ParseReply("550 " + text)
			if err != nil {
				t.Fatal(err)
			}
			got := DefaultClassifier().Read(Question{Phase: PhaseRCPT, Reply: reply})
			if got.Class != tt.want {
				t.Errorf("%q read as %s by %s, want %s", reply.Lines, got.Class, got.Rule, tt.want)
			}
		})
	}
}
