package pace

import (
	"fmt"
	"slices"
	"time"
)

// Preset is how careful to be with everybody.
type Preset string

// The presets.
const (
	Careful Preset = "careful" // half of every limit, and daily budgets that grow
	Normal  Preset = "normal"  // the limits of the table
	Off     Preset = "off"     // no limits; providers that complain are still asked slowly, or not for a while
)

// Presets are all of them, the most careful first.
func Presets() []Preset { return []Preset{Careful, Normal, Off} }

// ParsePreset reads the name of a preset; "" is Normal.
func ParsePreset(name string) (Preset, error) {
	if name == "" {
		return Normal, nil
	}
	if p := Preset(name); slices.Contains(Presets(), p) {
		return p, nil
	}
	return "", fmt.Errorf("pace: %q is no preset: use careful, normal or off", name)
}

// Unlimited as the value of a limit turns the limit off.
const Unlimited = -1

// Limits are what one provider is given, through each egress. Zero fields say
// nothing: what else is known decides.
type Limits struct {
	Sessions             int `yaml:"sessions"`               // open at a time, with all of its mail hosts
	SessionsPerMinute    int `yaml:"sessions_per_minute"`    // begun
	RecipientsPerSession int `yaml:"recipients_per_session"` // named, random ones, too
	RecipientsPerMinute  int `yaml:"recipients_per_minute"`
	RecipientsPerDay     int `yaml:"recipients_per_day"` // of 24 hours
	// What complaints lead to. Each is the length of a first pause; the next
	// one is twice as long as the last. Unlimited: no pause.
	RefusedPause   time.Duration `yaml:"refused_pause"`   // it refuses us for good, 5yz
	DeferredPause  time.Duration `yaml:"deferred_pause"`  // it refuses us for the moment, 4yz
	ThrottledPause time.Duration `yaml:"throttled_pause"` // it finds us too fast, three times in an hour
	// SlowFor is how long a provider that finds us too fast gets no more than
	// half of the sessions, before there is one more, and after that another.
	SlowFor time.Duration `yaml:"slow_for"`
}

// UnknownLimits are those of providers for which no others are known.
//
// Ten sessions are the default of KumoMTA's shaping.toml and half of what
// Exchange Server takes from one client (MaxInboundConnectionPerSource). The
// other numbers are our own: ten sessions that each last a second, pauses that
// outlast a passing overload, and a minute to notice that we are slower.
func UnknownLimits() Limits {
	return Limits{
		Sessions:             10,
		SessionsPerMinute:    600,
		RecipientsPerSession: Unlimited,
		RecipientsPerMinute:  Unlimited,
		RecipientsPerDay:     Unlimited,
		RefusedPause:         5 * time.Minute,
		DeferredPause:        5 * time.Minute,
		ThrottledPause:       Unlimited,
		SlowFor:              time.Minute,
	}
}

// Settings say how fast everybody is asked. Every zero field has the default
// that its comment names.
type Settings struct {
	Preset    Preset            // default: Normal
	Unknown   Limits            // of providers for which the table has no limits; default: UnknownLimits
	Providers map[string]Limits // by pacing name ("google", "example.com", "192.0.2.0/24"); default: the table's
	MaxPause  time.Duration     // a pause lasts no longer, unless the first one does; default 1 h
	Harvest   Harvest           // default: see the fields
	Egress    EgressLimits      // default: see the fields
}

// Harvest says when the refusals at a provider look as if we were harvesting
// its addresses: of at least so many mailboxes asked about in the last ten
// minutes, so large a share does not exist. The random mailboxes that rcpt asks
// about for its own sake are not counted.
type Harvest struct {
	Recipients int     // default 200; Unlimited: it never looks so
	Share      float64 // more than this; default 0.6
}

// EgressLimits are those of one source address or proxy.
type EgressLimits struct {
	Sessions int // open at a time; default: Unlimited
	// FirstDay is how many recipients one provider hears on the first day. It
	// doubles with each day that went well, up to RecipientsPerDay, and halves
	// with each that did not. Default: 500 with Careful, else Unlimited.
	FirstDay int
}

// Origin is where a number comes from.
type Origin string

// The origins.
const (
	FromTable    Origin = "table"    // of providers
	FromDefault  Origin = "default"  // for all
	FromOverride Origin = "override" // the settings'
	FromPreset   Origin = "preset"   // half of what the table or the default has, or none at all
)

// Rule is a limit with its reason.
type Rule struct {
	Name   string // of the field of [Limits], as in a configuration: "sessions_per_minute"
	Value  string // "10", "5m0s"; "none" where there is no limit
	Origin Origin
	Source string // of the table's number
}

// Rules are the limits in force at one provider.
type Rules struct {
	Provider string // its pacing name
	Known    bool   // it is in the table of providers
	Limits   Limits // every field is set; Unlimited: no limit
}

// Table is what the table of providers has about one of them.
type Table struct {
	Provider string // its pacing name
	Known    bool
	Limits   Limits            // what it says nothing about is zero
	Sources  map[string]string // by the name of the rule
}

// Rules returns the limits in force at a provider.
func (s Settings) Rules(t Table) Rules {
	r := Rules{Provider: t.Provider, Known: t.Known}
	own, unknown := s.Providers[t.Provider], UnknownLimits()
	for i := range limitFields {
		value, _ := s.inForce(&limitFields[i], &t.Limits, &own, &unknown)
		limitFields[i].set(&r.Limits, value)
	}
	return r
}

// Why returns the reason for each of the limits that Rules returns, in the
// order of the fields.
func (s Settings) Why(t Table) []Rule {
	var all []Rule
	own, unknown := s.Providers[t.Provider], UnknownLimits()
	for i := range limitFields {
		field := &limitFields[i]
		value, origin := s.inForce(field, &t.Limits, &own, &unknown)
		rule := Rule{Name: field.name, Value: field.text(value), Origin: origin}
		if origin != FromOverride {
			rule.Source = t.Sources[field.name]
		}
		all = append(all, rule)
	}
	return all
}

// inForce returns the value of a limit, and where it comes from: what the table
// has, what the settings have for the provider, and the default.
func (s *Settings) inForce(field *limitField, table, own, unknown *Limits) (value int64, from Origin) {
	value, from = field.of(table), FromTable
	if value == 0 {
		value, from = field.of(unknown), FromDefault
		if v := field.of(&s.Unknown); v != 0 {
			value, from = v, FromOverride
		}
	}
	if v := field.of(own); v != 0 {
		value, from = v, FromOverride
	}
	if from != FromOverride {
		if changed := field.preset(s.Preset, value); changed != value {
			value, from = changed, FromPreset
		}
	}
	return max(value, Unlimited), from
}

// WithDefaults returns the settings with their defaults in place.
func (s Settings) WithDefaults() Settings {
	if s.Preset == "" {
		s.Preset = Normal
	}
	if s.MaxPause == 0 {
		s.MaxPause = time.Hour
	}
	if s.Harvest.Recipients == 0 {
		s.Harvest.Recipients = 200
	}
	if s.Preset == Off {
		s.Harvest.Recipients = Unlimited
	}
	if s.Harvest.Share == 0 {
		s.Harvest.Share = 0.6
	}
	if s.Egress.Sessions == 0 {
		s.Egress.Sessions = Unlimited
	}
	if s.Egress.FirstDay == 0 {
		s.Egress.FirstDay = Unlimited
		if s.Preset == Careful {
			s.Egress.FirstDay = 500
		}
	}
	return s
}

// Check refuses settings that nobody can mean.
func (s Settings) Check() error {
	if _, err := ParsePreset(string(s.Preset)); err != nil {
		return err
	}
	if s.Harvest.Share < 0 || s.Harvest.Share > 1 {
		return fmt.Errorf("pace: the share of refusals %v is none", s.Harvest.Share)
	}
	if s.MaxPause < 0 {
		return fmt.Errorf("pace: the longest pause %v is negative", s.MaxPause)
	}
	limits := map[string]Limits{"unknown": s.Unknown}
	for name, l := range s.Providers {
		limits["provider "+name] = l
	}
	for name, l := range limits {
		for i := range limitFields {
			if field := &limitFields[i]; field.of(&l) < Unlimited {
				return fmt.Errorf("pace: %s: %s is negative", name, field.name)
			}
		}
	}
	return nil
}
