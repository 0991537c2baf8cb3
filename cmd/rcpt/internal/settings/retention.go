package settings

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/sys/yamlfile"
)

// RetentionFlag says how long a server keeps what it stores.
type RetentionFlag struct {
	Retention yamlText `section:"retention" default:"{lists: 30d, drafts: 1h, results: 12h, rechecks: 6h, webhooks: 35d, usage: 400d, events: 366d, networks: 200d}" placeholder:"YAML" help:"How long everything is kept, as it stands under retention in the file of --config; docs/privacy.md explains the kinds. Default: ${default}."`
}

// retentionSetting is the name of the section, and of the flag.
const retentionSetting = "retention"

// leastKept is how long everything is kept at least: what is under way needs
// it.
const leastKept = 10 * time.Minute

// Periods parses the section.
func (f RetentionFlag) Periods() (r rows.Retention, err error) {
	var section map[string]any
	if err := yamlfile.Load([]byte(f.Retention), &section); err != nil {
		const text = "retention is not a section: write KIND: DURATION lines below it, such as lists: 7d"
		return r, Usage(errors.New(text))
	}
	if err := readSection(retentionSetting, section, map[string]setter{
		"lists": setKept(&r.Lists), "drafts": setKept(&r.Drafts), "results": setKept(&r.Results),
		"rechecks": setKept(&r.Rechecks), "webhooks": setKept(&r.Webhooks), "usage": setKept(&r.Usage),
		"events": setKept(&r.Events), "networks": setKept(&r.Networks),
	}); err != nil {
		return r, Usage(err)
	}
	return r.WithDefaults(), nil
}

func setKept(target *time.Duration) setter {
	return func(path string, value any) error {
		text, _ := value.(string)
		kept, err := time.ParseDuration(text)
		if days, is := strings.CutSuffix(text, "d"); is {
			var n int
			n, err = strconv.Atoi(days)
			kept = time.Duration(n) * 24 * time.Hour
		}
		if err != nil || kept < leastKept {
			const format = "%s: %v is not how long something can be kept: write a duration from %v, such as 12h or 30d"
			return fmt.Errorf(format, path, value, leastKept)
		}
		*target = kept
		return nil
	}
}

// wholeRetention returns a section with the defaults of what it leaves out.
func wholeRetention(text, defaults string) string {
	given, whole := map[string]string{}, strings.Split(strings.Trim(defaults, "{}"), ", ")
	if yamlfile.Load([]byte(text), &given) != nil {
		return text
	}
	for i, period := range whole {
		kind, _, _ := strings.Cut(period, ":")
		if kept, is := given[kind]; is {
			whole[i] = kind + ": " + kept
		}
	}
	return "{" + strings.Join(whole, ", ") + "}"
}
