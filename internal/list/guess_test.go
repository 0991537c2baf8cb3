package list

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// texts are words of lists in some languages, and encodings that they have.
var texts = []struct {
	words     string
	encodings []Encoding
}{
	{"Jörg Müller|Käthe Groß|Günther Schäfer|Björn Krämer|Jürgen Weiß|Uwe Köhler|Straße 5, Köln|Händler GmbH, München|Zoë Möller|Grüße|Über uns|René Süß", []Encoding{"Windows-1252", "macintosh", "IBM850"}},
	{"François Lefèvre|Hélène Béranger|Adresse électronique|Prénom|Société Générale|Téléphone|Zoé Hervé|Élodie Gaëlle|Noël Créteil|Cédric Benoît|Jérôme|Lycée de Besançon", []Encoding{"Windows-1252", "macintosh", "IBM850"}},
	{"José Muñoz|María Pérez|Núñez Íñigo|Dirección de correo electrónico|Teléfono móvil|Andrés Gómez|Málaga|León|Begoña Sánchez|Compañía|Año", []Encoding{"Windows-1252", "macintosh", "IBM850"}},
	{"João Gonçalves|Conceição Simões|Endereço de e-mail|São Paulo|André Guimarães|Inês Magalhães|Telefone do escritório|Araújo|Lourenço|Estêvão", []Encoding{"Windows-1252", "macintosh"}},
	{"Åsa Öberg|Björn Sjöström|Göran Lindström|Mårten Ström|Älvsjö|Kontakt på kontor|Jönköping|Håkan Åkesson|Västerås", []Encoding{"Windows-1252", "macintosh", "IBM850"}},
	{"Søren Kjær|Jørgen Bøgh|Århus|Åse Sørensen|Mødrup|Ærø|København|Jens Nørgård|Øster|Bærum", []Encoding{"Windows-1252", "macintosh", "IBM850"}},
	{"Nicolò Forlì|Città|Libertà Mondovì|Società|Attività|Località|Perù|Carità|Niccolò|Università", []Encoding{"Windows-1252", "macintosh"}},
	{"Łukasz Wiśniewski|Małgorzata Dąbrowska|Imię|Świętosława|Paweł Wójcik|Zażółć Gęślą|Kraków|Łódź|Stanisław Kaźmierczak|Józef Piłsudski|Żaneta", []Encoding{"Windows-1250", "ISO-8859-2", "IBM852"}},
	{"Jiří Dvořák|Jméno|Příjmení|Společnost|E-mailová adresa|Zdeněk Němec|Lenka Procházková|Tomáš Horák|Václav Říha|Poznámky|Plzeň|Růžena|Ondřej", []Encoding{"Windows-1250", "ISO-8859-2", "IBM852"}},
	{"Ľubomír Šťastný|Meno|Dušan Kováč|Žofia Nováková|Košice|Priezvisko|Poznámka|Ján Maďarič|Emailová adresa|Ľudmila|Peter Čierny", []Encoding{"Windows-1250", "IBM852"}},
	{"Erdős Pál|Kovács László|Név|E-mail cím|Szűcs Ödön|Győr|Tóth Gergő|Telefonszám|Hűvös Völgyi|Kőbánya|Szabó Réka|Ürömi Gyöngyi", []Encoding{"Windows-1250", "IBM852"}},
	{"Ştefan Ţepeş|Bucureşti|Mihăilă Ionuţ|Adresă|Râşnov|Păun Cătălin|Braşov|Nume şi prenume|Iaşi|Dumitraşcu", []Encoding{"Windows-1250"}},
	{"Ivan Šarić|Mate Čović|Željko Kovačić|Đuro Đaković|Pošta|Žarko Horvačić|Nikša|Grad Šibenik|Ćiro Blažević|Broj računa", []Encoding{"Windows-1250"}},
	{"Ayşe Yıldız|Çağrı Şahin|Gökhan Güneş|Adı Soyadı|E-posta Adresi Türü|İsmail Öztürk|Işıl Doğan|Şirket|Müşteri|Beşiktaş|Kadıköy|Görev", []Encoding{"Windows-1254"}},
	{"Jonas Žukauskas|Kęstutis Šimkus|Vardas ir pavardė|Elektroninis paštas|Ąžuolas|Rūta Bružaitė|Čiurlionis|Įmonė|Šiauliai|Daukša Gėlė", []Encoding{"Windows-1257"}},
	{"Jānis Bērziņš|Ģirts Kļaviņš|Vārds|Uzvārds|Rīga|Māris Ozoliņš|Līga Šķēle|Pēteris|Anna Ķēniņa|Zāle", []Encoding{"Windows-1257"}},
	{"Иван Петров|Имя|Фамилия|Электронная почта|Алёна Щукина|Москва|Сергей Кузнецов|ООО Ромашка|Юрий Гагарин|Ольга|Телефон|ЖУКОВ ПЁТР|Адрес эл. почты", []Encoding{"Windows-1251", "KOI8-R", "IBM866", "x-mac-cyrillic", "ISO-8859-5"}},
	{"Олексій Шевченко|Ім'я|Прізвище|Київ|Юлія Їжакевич|Електронна пошта|Євген|Ґонта|Львів|Микола Коваленко", []Encoding{"Windows-1251", "KOI8-U"}},
	{"Георги Иванов|Име|Пощенски адрес|София|Ангел Цветков|Фамилия|Ваня Желязкова|Пловдив|Бългaрия|Тодор", []Encoding{"Windows-1251"}},
	{"Γιώργος Παπαδόπουλος|Όνομα|Επώνυμο|Μαρία Νικολάου|Αθήνα|Διεύθυνση|Θεσσαλονίκη|Ηλεκτρονικό ταχυδρομείο|Δημήτρης|Ελένη Ψαρρά", []Encoding{"Windows-1253"}},
	{"דוד כהן|שם|דואר אלקטרוני|משה לוי|תל אביב|טלפון|שרה|חיים|יעקב מזרחי|כתובת", []Encoding{"Windows-1255"}},
	{"محمد علي|الاسم|البريد الإلكتروني|فاطمة|عبد الله|القاهرة|أحمد حسن|شركة|الهاتف|خديجة", []Encoding{"Windows-1256"}},
	{"สมชาย ใจดี|ชื่อ|อีเมล|กรุงเทพ|สมหญิง|นามสกุล|บริษัท|โทรศัพท์|ที่อยู่|วิชัย แสงทอง", []Encoding{"Windows-874"}},
	{"山田太郎|佐藤花子|氏名|メールアドレス|ファックス|鈴木一郎|東京都|会社名|電話番号|備考|高橋さくら|渡辺 健|テスト", []Encoding{"Shift_JIS", "EUC-JP"}},
	{"王伟|李娜|姓名|电子邮件地址|张三|公司|北京市|刘洋|手机号码|备注|陈静|客户名称|赵六", []Encoding{"GB18030"}},
	{"陳怡君|林志明|姓名|電子郵件|許功蓋|台北市|公司名稱|備註|張雅婷|客戶|黃俊傑|王一", []Encoding{"Big5"}},
	{"김철수|이영희|이름|전자 메일 주소|박지민|서울시|회사|휴대폰|최민준|고객명|정수빈|비고", []Encoding{"EUC-KR"}},
}

// TestGuessedEncoding: the encoding of a list is guessed from a few rows.
func TestGuessedEncoding(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []struct {
		count int
		right float64 // of all
	}{{2, .95}, {3, .98}, {5, .995}, {8, 1}} {
		right, total := 0, 0
		for _, text := range texts {
			for _, e := range text.encodings {
				for range 8 {
					list := listOf(strings.Split(text.words, "|"), rows.count, random)
					octets, err := e.encoding().NewEncoder().String(list)
					if err != nil {
						t.Fatal(e, err)
					}
					d := Description{Encoding: UTF8}
					d.guessEncoding([]byte(octets))
					if total++; d.cellText().toUTF8(octets) == list {
						right++
					} else if rows.right == 1 {
						t.Errorf("%s guessed as %s:\n%s", e, d.Encoding, list)
					}
				}
			}
		}
		if share := float64(right) / float64(total); share < rows.right {
			t.Errorf("%d rows: %d of %d right", rows.count, right, total)
		}
	}
}

// listOf is a list of some of the words.
func listOf(words []string, count int, random *rand.Rand) string {
	text := "id,name,email\n"
	for i, at := range random.Perm(len(words))[:count] {
		text += fmt.Sprintf("%d,%s,user%d@acme.example\n", i, words[at], i)
	}
	return text
}

// TestForeignRows: rows that are UTF-8 among others are read as such, and an
// address is not asked about where its letters are only guessed.
func TestForeignRows(t *testing.T) {
	for _, c := range []struct {
		name, list string
		o          Options
		encoding   Encoding
		want       string // of the last row, in JSON
	}{
		{name: "UTF-8 among Windows-1251", list: "email,n\na@b.example,\xc8\xe2\xe0\xed\nc@d.example,Ольга\n",
			encoding: "Windows-1251", want: `"n":"Ольга"`},
		{name: "Windows-1251 among UTF-8", list: "email,n\nc@d.example,Ольга\na@b.example,\xc8\xe2\xe0\xed\n",
			encoding: "Windows-1251", want: `"n":"Иван"`},
		{name: "JSON", list: "[{\"email\":\"a@b.example\",\"n\":\"\xc8\xe2\xe0\xed\"}]", encoding: "Windows-1251", want: `"n":"Иван"`},
		{name: "JSON in two octets", list: "[{\"email\":\"a@b.example\",\"n\":\"\x95\x5c\x8e\xa6\x96\xbc\"}]",
			encoding: "Shift_JIS", want: `"n":"表示名"`},
		{name: "a quarter bar in Shift-JIS", list: "email|n|m\na@b.example|\x83\x7c\x83\x58\x83\x67|x\n", encoding: "Shift_JIS", want: `"n":"ポスト"`},
		{name: "letters that are sure", list: "email\nb\xfccher@b\xfccher.example\n", encoding: windows1252, want: `"email":"bücher@bücher.example"`},
	} {
		r := open(t, c.list, c.o)
		if e, guessed := r.Encoding(); e != c.encoding || !guessed || len(r.Notices()) == 0 {
			t.Errorf("%s: read as %s, %v: %q", c.name, e, guessed, r.Notices())
		}
		if got := written(t, c.list, c.o, Output{Format: JSONLines}); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	const cyrillic = "email\n\xd0\xcf\xde\xd4\xc1@b.example\n" // "почта" in KOI8-R, "РПЮФБ" in Windows-1251
	row, err := open(t, cyrillic, Options{Format: CSV}).Next()
	if kind, text := row.Held(0); err != nil || kind != Unreadable || !strings.Contains(text, "only guessed") {
		t.Errorf("%v %q, %v", kind, text, err)
	}
	row, err = open(t, cyrillic, Options{Format: CSV, Encoding: "koi8-r"}).Next()
	if kind, text := row.Held(0); err != nil || kind != Address || text != "почта@b.example" {
		t.Errorf("%v %q, %v", kind, text, err)
	}
}
