package settings

import (
	"reflect"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// TestPaceHasAllSettings: each number of the settings has a key in the file.
func TestPaceHasAllSettings(t *testing.T) {
	limits := map[string]any{
		"sessions": uint64(1), "sessions_per_minute": uint64(2), "recipients_per_session": uint64(3), "recipients_per_minute": uint64(4),
		"recipients_per_day": "unlimited",
		"refused_pause":      "6s", "deferred_pause": "5s", "throttled_pause": "4s", "slow_for": "3s",
	}
	got, err := readPace(map[string]any{
		"max_pause": "7s", "unknown": limits, "providers": map[string]any{"google": limits},
		"harvest": map[string]any{"recipients": uint64(8), "share": 0.9},
		"egress":  map[string]any{"sessions": uint64(10), "first_day": uint64(11)},
	})
	check(t, err)
	if l := got.Providers["google"]; l != got.Unknown || l.RecipientsPerDay != pace.Unlimited || l.RefusedPause != 6*time.Second {
		t.Errorf("limits %+v and %+v", l, got.Unknown)
	}
	got.Preset = pace.Careful // is read apart
	wantNoZero(t, "settings", reflect.ValueOf(got))
}

func wantNoZero(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			wantNoZero(t, path+"."+v.Type().Field(i).Name, v.Field(i))
		}
		return
	}
	if v.IsZero() {
		t.Errorf("%s cannot be set in a file", path)
	}
}
