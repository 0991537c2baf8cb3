// Command mutate changes the rules of the probe pool, one at a time, and sees
// who notices: the tables of the package, else the sums of what simulated
// worlds cost, else the simulation, else the suite of the pool. What nobody
// notices is a line that is not needed, or a test or a kind of mail host that
// is missing.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// root is the folder of the main module, from where go run is called.
const root = ".."

// subjects are the packages with the rules.
var subjects = []string{simulated, "smtpprobe/internal/belief", "smtpprobe/pace"}

func main() {
	log.SetFlags(0)
	from := flag.Int("from", 0, "how many places are left out: where an earlier run ended")
	n := flag.Int("n", 300, "how many mutations are tried")
	match := flag.String("match", "", "`expression` for the lines of those to be tried")
	flag.Parse()
	expression, err := regexp.Compile(*match)
	if err == nil {
		err = run(*from, *n, expression)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run tries mutations, and prints what became of each and of all.
func run(from, n int, match *regexp.Regexp) error {
	all, err := mutations(subjects)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := acquit(work); err != nil {
		return err
	}
	t := table{}
	for i := from; i < len(all) && n > 0; i++ {
		if !match.MatchString(all[i].String()) {
			continue
		}
		found, err := try(all[i], work)
		if errors.Is(err, errNotGo) {
			continue
		}
		if err != nil {
			return err
		}
		fmt.Printf("%d of %d: %v: %v\n", i, len(all), all[i], found)
		t.add(filepath.Dir(all[i].file), found)
		n--
	}
	fmt.Print("\n", t)
	return nil
}

// acquit sees that nobody finds fault with the source as it is.
func acquit(work string) error {
	for _, folder := range subjects {
		found, err := hear(folder, "", work)
		if err != nil {
			return err
		}
		if found.judge != nobody {
			return fmt.Errorf("%s: without a mutation there fail: %v", folder, found)
		}
	}
	return nil
}

// table counts for each package who has noticed.
type table map[string]map[string]int

func (t table) add(folder string, found verdict) {
	if t[folder] == nil {
		t[folder] = map[string]int{}
	}
	t[folder][found.judge]++
}

func (t table) String() string {
	var b strings.Builder
	b.WriteString("| package | tried | tables | else sums | else simulation | else suite | nobody |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, folder := range slices.Sorted(maps.Keys(t)) {
		c, tried := t[folder], 0
		for _, n := range c {
			tried += n
		}
		fmt.Fprintf(&b, "| `%s` | %d | %d | %d | %d | %d | %d |\n",
			folder, tried, c["tables"], c["sums"], c["simulation"], c["suite"], c[nobody])
	}
	return b.String()
}
