package list

import (
	"strings"
	"testing"
)

// TestCharsetNames: an encoding has the names that programs use.
func TestCharsetNames(t *testing.T) {
	for name, want := range map[string]Encoding{
		"windows-1251": "Windows-1251", "cp1251": "Windows-1251", "1251": "Windows-1251", "CP-1250": "Windows-1250",
		"latin1": windows1252, "iso-8859-1": windows1252, "ISO-8859-15": "ISO-8859-15", "iso8859-2": "ISO-8859-2",
		"cp850": "IBM850", "ibm852": "IBM852", "866": "IBM866", "cp437": "IBM437", "cp1252": windows1252, "latin9": "ISO-8859-15", "65001": UTF8,
		"Shift-JIS": "Shift_JIS", "sjis": "Shift_JIS", "cp932": "Shift_JIS", "windows-31j": "Shift_JIS",
		"euc-jp": "EUC-JP", "iso-2022-jp": "ISO-2022-JP", "gbk": "GB18030", "gb2312": "GB18030", "cp936": "GB18030",
		"big5": "Big5", "cp950": "Big5", "euc-kr": "EUC-KR", "cp949": "EUC-KR", "koi8-r": "KOI8-R", "KOI8U": "KOI8-U",
		"mac_roman": "macintosh", "macintosh": "macintosh", "mac-cyrillic": "x-mac-cyrillic", "utf8": UTF8, "UTF-8": UTF8,
		"utf-16": UTF16LE, "utf-16be": UTF16BE, "utf_32_le": UTF32LE, "tis-620": "Windows-874", "iso-8859-9": "Windows-1254",
	} {
		if got, err := CharsetNamed(name); got != want || err != nil {
			t.Errorf("%q is %q, %v; want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"klingon", "utf-7", "", "cp"} {
		if got, err := CharsetNamed(name); err == nil || !strings.Contains(err.Error(), "Windows-1251 (Cyrillic)") {
			t.Errorf("%q is %q, %v", name, got, err)
		}
	}
	for _, c := range Charsets() {
		if got, err := CharsetNamed(string(c.Name)); got != c.Name || err != nil {
			t.Errorf("%q is %q, %v", c.Name, got, err)
		}
	}
}

// inCharsets are texts that an encoding can write.
var inCharsets = map[Encoding]string{
	"Windows-1252": "Jörg Günther", "Windows-1250": "Jiří Dvořák", "Windows-1251": "Иван Ёлкин", "Windows-1253": "Γιώργος",
	"Windows-1254": "Ayşe Yıldız", "Windows-1255": "דוד", "Windows-1256": "محمد", "Windows-1257": "Jānis Bērziņš",
	"Windows-874": "สมชาย", "Shift_JIS": "表計算ァ 山田", "EUC-JP": "山田太郎", "ISO-2022-JP": "山田 @ 太郎", "GB18030": "丂 王伟 €",
	"Big5": "許功蓋 一", "EUC-KR": "김철수 똠", "KOI8-R": "Иван", "KOI8-U": "Їжак", "macintosh": "Jörg", "x-mac-cyrillic": "Иван",
	"IBM437": "Jörg", "IBM850": "Jörg", "IBM852": "Jiří", "IBM866": "Иван", "ISO-8859-2": "Łukasz", "ISO-8859-5": "Иван",
	UTF16LE: "Łukasz 山", UTF16BE: "Łukasz 山", UTF32LE: "Łukasz 😀", UTF32BE: "Łukasz 😀", UTF8: "Łukasz 😀",
}

// TestGivenEncoding: a list in an encoding that the caller names is read
// rightly, its rows keep their octets in CSV unless octets of ASCII are not
// ASCII in them, and names of columns and what we add are in the same encoding.
func TestGivenEncoding(t *testing.T) {
	for e, name := range inCharsets {
		for delimiter, as := range map[string]Format{",": CSV, ";": CSV, "|": CSV, "json": JSON, "jsonl": JSONLines} {
			encode := func(text string) string {
				octets, err := e.encoding().NewEncoder().String(text)
				if err != nil {
					t.Fatal(e, err)
				}
				return octets
			}
			d := Description{Encoding: e, Format: as, Delimiter: delimiter[0]}
			text := strings.ReplaceAll("Name,"+name+"\nX,a@acme.example\n"+name+",b@acme.example\n", ",", delimiter)
			column := name
			if as != CSV {
				text, column = `{"Name":"`+name+`","email":"b@acme.example"}`, "email"
			}
			o := Options{Format: as, Columns: []string{column}, Encoding: string(e)}
			got := written(t, encode(text), o, Output{Format: JSONLines})
			if !strings.Contains(got, `"Name":"`+name+`"`) || !strings.Contains(got, `"b@acme.example"`) {
				t.Errorf("%s %s: %s", e, delimiter, got)
			}
			if as != CSV {
				continue
			}
			want := strings.ReplaceAll("Name,"+name+",@\nX,a@acme.example,#\n"+name+",b@acme.example,#\n", ",", delimiter)
			if !d.isDecoded() {
				want = encode(want)
			}
			if got := written(t, encode(text), o, Output{Format: CSV}); got != want {
				t.Errorf("%s %s: %q, want %q", e, delimiter, got, want)
			}
		}
	}
}
