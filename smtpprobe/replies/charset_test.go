package replies

import (
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// TestRepliesInOtherEncodings reads refusals as servers of different countries
// send them.
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
			reply, err := smtp.ParseReply("550 " + text)
			if err != nil {
				t.Fatal(err)
			}
			got := DefaultClassifier().Read(Input{Phase: smtp.PhaseRCPT, Reply: reply})
			if got.Class != tt.want {
				t.Errorf("%q read as %s by %s, want %s", reply.Lines, got.Class, got.Rule, tt.want)
			}
		})
	}
}

// TestEncodedWords reads replies with encoded words of RFC 2047. Those that
// cannot be decoded are ordinary text.
func TestEncodedWords(t *testing.T) {
	for text, want := range map[string]Class{
		"550 =?UTF-8?Q?Empf=C3=A4nger_unbekannt?=":                   ClassNoSuchUser,
		"550 5.1.1 =?utf-8?B?5Y+R5Lu25Lq65LiN5a2Y5Zyo?=":             ClassBlocked, // the sender does not exist
		"550 =?koi8-r?B?8M/M2NrP18HUxczYIM7FIM7BysTFzg==?=":          ClassNoSuchUser,
		"550 =?windows-1251?B?z+7r/Ofu4uDy5ev8IO3lIO3g6eTl7Q==?=":    ClassNoSuchUser,
		"550 =?x-unheard-of?Q?user_unknown?=":                        ClassNoSuchUser, // as ASCII says it
		"550-=?utf-8?Q?Empf=C3=A4nger?=\n550 =?utf-8?Q?_unbekannt?=": ClassNoSuchUser,
		"550 =?utf-8?Q?=?= =?":                                       ClassAmbiguous,
	} {
		reply, err := smtp.ParseReply(strings.Split(text, "\n")...)
		if err != nil {
			t.Fatal(err)
		}
		if got := DefaultClassifier().Read(Input{Phase: smtp.PhaseRCPT, Reply: reply}); got.Class != want {
			t.Errorf("%q (%q) read as %s by %s, want %s", text, reply.Lines, got.Class, got.Rule, want)
		}
	}
}
