package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/lists"
)

// The files of this tree belong together: the embedded bundle is what the text
// files and the hand files make.
func TestTreeBundle(t *testing.T) {
	texts, err := readTexts("review")
	if err != nil {
		t.Fatal(err)
	}
	hand, err := readHand("hand")
	if err != nil {
		t.Fatal(err)
	}
	draft, err := newDraft(texts, hand)
	if err != nil {
		t.Fatalf("%v: run the generator", err)
	}
	want, err := draft.Build()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../lists/data/lists.bundle")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Fatal("data/lists.bundle is not what the text files and the hand files make: run the generator")
	}
	if _, err := lists.ReadBundle(got); err != nil {
		t.Error(err)
	}
}

// What is pinned is documented, and its licence is at hand.
func TestTreePackages(t *testing.T) {
	pins, err := readPins("pins.json")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../lists/data/README.md")
	if err != nil {
		t.Fatal(err)
	}
	used := make(set)
	for i, p := range pins.Packages {
		used[p.Name+".txt"] = true
		if row := fmt.Sprintf("| %s | %s | %s |", p, p.License, p.Tier); !strings.Contains(string(readme), row) {
			t.Errorf("data/README.md lacks %q", row)
		}
		if letter(i) >= handLetter {
			t.Errorf("%s has no letter of its own", p)
		}
	}
	there := make(set)
	licenses, err := readFolder("../../lists/data/LICENSES")
	if err != nil {
		t.Fatal(err)
	}
	for name := range licenses {
		there[name] = true
	}
	if diff := cmp.Diff(used, there); diff != "" {
		t.Errorf("data/LICENSES: %s", diff)
	}
	for _, name := range textLists {
		text, err := os.ReadFile("review/" + name + ".txt")
		if err != nil || !strings.Contains(string(text), "\n# date: "+pins.Date+"\n") {
			t.Errorf("review/%s.txt is not of %s (%v): run the generator", name, pins.Date, err)
		}
	}
}

// Package lists knows what is written here by the same names.
func TestNamesAreThoseOfPackageLists(t *testing.T) {
	for here, there := range map[string]string{
		listRole: string(lists.KindRole), listFree: string(lists.KindFree), listDisposable: string(lists.KindDisposable),
		listRelay: string(lists.KindRelay), listSpamTrap: string(lists.KindSpamTrap), listAllow: string(lists.KindAllow),
		tierCurated: string(lists.ConfidenceCurated), tierBulk: string(lists.ConfidenceBulk), strengthStrong: string(lists.ConfidenceStrong), strengthWeak: string(lists.ConfidenceWeak),
		freeSubdomain: "free_subdomain",
	} {
		if here != there {
			t.Errorf("%q here is %q in package lists", here, there)
		}
	}
}
