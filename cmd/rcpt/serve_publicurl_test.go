package main

import "testing"

func TestSiteURL(t *testing.T) {
	for text, want := range map[string]siteURL{
		"https://verify.example.com": "https://verify.example.com", "http://127.0.0.1:8080/": "http://127.0.0.1:8080",
		"verify.example.com": "", "https://": "", "ftp://verify.example.com": "", "https://verify.example.com/path": "",
		"https://user:password@verify.example.com": "", "https://verify.example.com?q": "", "https://verify.example.com/#f": "", "": "",
	} {
		var u siteURL
		if err := u.UnmarshalText([]byte(text)); (err == nil) != (want != "") || u != want {
			t.Errorf("%q: %q, %v; want %q", text, u, err, want)
		}
	}
}
