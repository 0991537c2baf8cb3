package list

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// guessed is an encoding that a text may have without saying so. Those that
// write the same languages with most letters at the same places are left out.
type guessed struct {
	Encoding
	scripts []*script // of single octets
	leads   []leads   // of two octets
	common  string    // frequent characters of two octets
	old     bool      // few programs still write it, and Windows-1252 is likelier if that fits as well
}

// script is how a language writes: its letters that are not ASCII in lower
// case, the frequent ones first.
type script struct{ frequent, others string }

// leads are the first octets of characters of two octets, and how likely these
// characters are. The national standards put the frequent ones together: the
// levels 1 of JIS X 0208 and GB 2312, the frequently used ones of Big5, and the
// Hangul of KS X 1001.
type leads struct {
	from, to byte
	points   float64
}

// The alphabets, from the exemplar characters of Unicode's CLDR.
var (
	western = []*script{
		{"äöüß", "éè"}, {"éèàçê", "ëîïôûùâœæ"}, {"áéíñóú", "ü"}, {"ãçáéíó", "õâêôúà"}, {"åäö", "é"}, {"æøå", "éöä"},
		{"àèéìòù", ""}, {"áéíóúæö", "ðýþ"}, {"éëïöü", "ó"}, {"àçèéíïòóúü", ""},
	}
	central = []*script{
		{"áčéěířšůýž", "ďňóťú"}, {"áčéíľšťúýž", "äďĺňóôŕ"}, {"ąćęłńóśźż", ""}, {"áéíóöőúüű", ""},
		{"ăâîşţ", ""}, {"čćđšž", ""}, {"äöüß", "éè"},
	}
	baltic   = []*script{{"ąčęėįšųūž", ""}, {"āčēģīķļņšūž", ""}, {"äõöüšž", ""}}
	turkish  = []*script{{"çğıöşü", "âîû"}}
	cyrillic = []*script{
		{"оеаинтсрвлкмдпуя", "ыьгзбчйхжшюцщэфъё"}, {"оаиніврелкстмдпує", "ьзгяюїжчйбхцшґщф"},
		{"аоиенртсвлкмдпя", "ъгзбучйхжшюцщф"}, {"аоиенртсјвлкмдп", "ђћљњџгзбучхжшцф"},
	}
	greek  = []*script{{"αοινςσητρεπκλμγδ", "άέήίόύώυωθβφχξζψϊϋ"}}
	hebrew = []*script{{"יוהלארמבשנתדק", "גזחטכסעפצםןףץך"}}
	arabic = []*script{{"اليمنرتبودةسعفحكق", "أإآءئؤىجخذزشصضطظغهپچژگًٌٍَُِّْ"}}
	thai   = []*script{{"านรอกเงมยลวดทสตะปบคหัิ่้ี", "แจพชขใไโผุู์ถซณธญฉฐศษภฟฝฎฏฒฆฌฬึืๆฯำฤ็๊๋ฮ"}}
)

// guesses are the encodings that are guessed. Of those that fit as well the
// first is taken.
var guesses = []guessed{
	{Encoding: windows1252, scripts: western},
	{Encoding: "Windows-1250", scripts: central},
	{Encoding: "Windows-1251", scripts: cyrillic},
	{Encoding: "Windows-1254", scripts: turkish},
	{Encoding: "Windows-1253", scripts: greek},
	{Encoding: "Windows-1257", scripts: baltic},
	{Encoding: "Windows-1255", scripts: hebrew},
	{Encoding: "Windows-1256", scripts: arabic},
	{Encoding: "Windows-874", scripts: thai},
	{Encoding: "KOI8-R", scripts: cyrillic[:1]},
	{Encoding: "KOI8-U", scripts: cyrillic[:2], old: true},
	{Encoding: "macintosh", scripts: western, old: true},
	{Encoding: "x-mac-cyrillic", scripts: cyrillic, old: true},
	{Encoding: "IBM850", scripts: western, old: true},
	{Encoding: "IBM852", scripts: central, old: true},
	{Encoding: "IBM866", scripts: cyrillic, old: true},
	{Encoding: "ISO-8859-2", scripts: central, old: true},
	{Encoding: "ISO-8859-5", scripts: cyrillic, old: true},
	{Encoding: "Shift_JIS", leads: []leads{{0x81, 0x81, .3}, {0x82, 0x83, 1}, {0x88, 0x97, .7}, {0x98, 0xfc, -.3}},
		common: commonJapanese},
	{Encoding: "EUC-JP", leads: []leads{{0xa1, 0xa1, .3}, {0xa3, 0xa3, .3}, {0xa4, 0xa5, 1}, {0xb0, 0xcf, .7},
		{0xd0, 0xf4, -.3}}, common: commonJapanese},
	{Encoding: "EUC-KR", leads: []leads{{0xa1, 0xa3, .3}, {0xb0, 0xc8, .7}, {0xca, 0xfd, -.3}},
		common: "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진지수영현준연은경미" +
			"희철호재석상선아인기동태혜원승규용광도시대소나라마바사자가름메일주소번호회사화휴폰체부직급코드일비다로동길"},
	{Encoding: "GB18030", leads: []leads{{0xa1, 0xa3, .3}, {0xb0, 0xd7, .7}, {0xd8, 0xf7, -.3}},
		common: "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏" +
			"伟芳娜敏静秀英丽强磊军洋勇艳杰娟涛明超霞平刚桂小文华建国志红玉海龙春梅姓名邮箱电子邮件地址话手机公司部门职务备注中间" +
			"商移动的一是在不了有和人这上大为个我以要他时来用们生到作出就分对成会可主发年样能下"},
	{Encoding: "Big5", leads: []leads{{0xa1, 0xa3, .3}, {0xa4, 0xc6, .7}, {0xc9, 0xf9, -.3}},
		common: "陳林黃張李王吳劉蔡楊許鄭謝洪郭邱曾廖賴徐周葉蘇莊呂江何蕭羅高潘簡朱鍾游彭詹胡施沈余盧梁趙顏柯翁魏孫戴范方宋" +
			"美玲淑惠麗華志明俊傑家豪建宏雅婷怡君文雄英姓名電子郵件地址信箱話手機公司部門職稱備註客戶會員中國一二三大小的是在" +
			"不了有和人這上為個我以要他時來用們生到作出就分對成可主發年能下"},
}

// commonJapanese are frequent kanji of names and of headers.
const commonJapanese = "佐藤鈴木高橋田中伊渡辺山本村小林加吉斎松井上清水池森阿部石川前岡長谷後近坂遠青西福島三浦原和美子" +
	"太郎花一二明健誠大翔蓮陽結愛名姓氏会社電話番号住所備考部署役職表示日生年月市区県東京都府町"

// guessEncoding guesses the encoding of a text that is not UTF-8 throughout, by
// the rows that are not ASCII: in the right one most characters are letters of
// one language. Mixed tells that many rows are UTF-8: the others have the
// encoding then. Likely are the encodings that fit nearly as well.
func (d *Description) guessEncoding(text []byte) {
	rows, mixed := foreignRows(text)
	if len(rows) == 0 {
		return
	}
	d.Encoding, d.EncodingWhy, d.Mixed = windows1252, Guessed, mixed
	best, fits := minFit, make([]float64, len(guesses))
	for i, g := range guesses {
		if fits[i] = g.fit(rows); fits[i] > best {
			d.Encoding, best = g.Encoding, fits[i]
		}
	}
	for i, g := range guesses {
		if fits[i] > best-nearly && !(g.old && d.Encoding == windows1252) {
			d.likely = append(d.likely, g.Encoding)
		}
	}
}

// foreignRows returns the first rows of a text that are not ASCII, or if it is
// mixed those that are not UTF-8.
func foreignRows(text []byte) (rows []byte, mixed bool) {
	var utf8Rows []byte
	foreign, others := 0, 0
	for row := range bytes.FieldsFuncSeq(text, func(c rune) bool { return c == '\n' || c == '\r' }) {
		switch {
		case isASCII(string(row)):
		case utf8.Valid(row):
			utf8Rows = append(append(utf8Rows, row...), '\n')
			others++
		default:
			rows = append(append(rows, row...), '\n')
			foreign++
		}
		if len(rows) > maxGuessed {
			break
		}
	}
	if mixed = others*fewRows > foreign; mixed || foreign == 0 {
		return rows, mixed
	}
	return append(rows, utf8Rows...), false
}

const (
	maxGuessed = 2 << 10 // octets of rows that a guess looks at
	fewRows    = 10      // one row of so many may be UTF-8 by chance
	minFit     = -1.0    // what fits worse than this has no known encoding
	nearly     = .25     // what fits so much worse may be right
)

// isSure reports whether all encodings that are likely read a text alike, which
// was read in the one that was guessed.
func (d *Description) isSure(text string) bool {
	if isASCII(text) || d.EncodingWhy == Given || d.EncodingWhy == Marked {
		return true
	}
	octets, err := d.Encoding.encoding().NewEncoder().String(text)
	if err != nil {
		return false
	}
	for _, e := range d.likely {
		if read, err := e.encoding().NewDecoder().String(octets); err != nil || read != text {
			return false
		}
	}
	return len(d.likely) > 0
}

// fit is how well a text fits an encoding: at most about 1.
func (g *guessed) fit(text []byte) float64 {
	decoded, err := g.encoding().NewDecoder().Bytes(text)
	if err != nil {
		return minFit
	}
	best := minFit
	if g.leads != nil {
		best = g.fitOfPairs(string(decoded))
	}
	for _, s := range g.scripts {
		best = max(best, s.fit([]rune(string(decoded)), g.scripts))
	}
	return best
}

// What a character says about an encoding.
const (
	wrong    = -2.0 // it is none, or a symbol within a word
	stranger = -1.0 // a letter that none of the languages has
	borrowed = .3   // a letter of another language, or one that stands alone
	symbol   = .5   // one of the usual
	seldom   = .7
	frequent = 1.0

	uncapital = -.1 // besides: a small letter that begins a word, a capital one within
)

// usual are symbols that lists have.
const usual = "€£§°®©™«»“”„‘’–—…•·№"

// fit is how well a text is written in a language, the average over what is not
// ASCII.
func (s *script) fit(text []rune, all []*script) float64 {
	points, count := 0.0, 0
	for i, c := range text {
		if c >= utf8.RuneSelf {
			before, after := around(text, i)
			points += s.points(c, before, after, all)
			count++
		}
	}
	return points / float64(max(count, 1))
}

func (s *script) points(c, before, after rune, all []*script) float64 {
	begins, ends := !unicode.IsLetter(before), !unicode.IsLetter(after)
	switch {
	case c == utf8.RuneError || unicode.IsControl(c) || unicode.Is(unicode.Co, c):
		return wrong
	case !unicode.IsLetter(c) && !unicode.IsMark(c):
		return ofSymbol(c, !begins && !ends)
	case !begins && isLatin(c) != isLatin(before), !ends && isLatin(c) != isLatin(after):
		return wrong
	case !begins && unicode.IsUpper(c) && unicode.IsLower(before), c == 'ς' && !ends:
		return stranger
	}
	points := s.ofLetter(unicode.ToLower(c), all)
	switch {
	case begins && ends:
		return min(points, borrowed)
	case !begins && unicode.IsUpper(c) || begins && unicode.IsLower(c):
		return points + uncapital
	}
	return points
}

func ofSymbol(c rune, within bool) float64 {
	switch {
	case c == '’' && within:
		return borrowed
	case within:
		return wrong
	case strings.ContainsRune(usual, c):
		return symbol
	}
	return 0
}

func (s *script) ofLetter(c rune, all []*script) float64 {
	switch {
	case strings.ContainsRune(s.frequent, c):
		return frequent
	case strings.ContainsRune(s.others, c):
		return seldom
	case slices.ContainsFunc(all, func(other *script) bool {
		return strings.ContainsRune(other.frequent, c) || strings.ContainsRune(other.others, c)
	}):
		return borrowed
	}
	return stranger
}

func around(text []rune, i int) (before, after rune) {
	if i > 0 {
		before = text[i-1]
	}
	if i+1 < len(text) {
		after = text[i+1]
	}
	return before, after
}

func isLatin(c rune) bool { return unicode.Is(unicode.Latin, c) }

// fitOfPairs is how well a text fits an encoding of two octets, the average
// over the octets that are not ASCII.
func (g *guessed) fitOfPairs(text string) float64 {
	encoder := g.encoding().NewEncoder()
	points, count := 0.0, 0
	for _, c := range text {
		if c < utf8.RuneSelf {
			continue
		}
		p, octets := g.pointsOf(c, encoder)
		points += p * float64(octets)
		count += octets
	}
	return points / float64(max(count, 1))
}

func (g *guessed) pointsOf(c rune, encoder *encoding.Encoder) (points float64, octets int) {
	encoded, err := encoder.String(string(c))
	switch {
	case err != nil || c == utf8.RuneError:
		return wrong, 1
	case strings.ContainsRune(g.common, c):
		return frequent, len(encoded)
	case len(encoded) != 2:
		return stranger, len(encoded)
	}
	isStandard := encoded[1] >= 0xa1 || g.Encoding == "Big5" || g.Encoding == "Shift_JIS" // no extension by vendors
	for _, l := range g.leads {
		if isStandard && encoded[0] >= l.from && encoded[0] <= l.to {
			return l.points, 2
		}
	}
	return stranger, 2
}
