package settings

import (
	"path/filepath"
	"testing"
)

func TestUserData(t *testing.T) {
	root, err := filepath.Abs("/")
	check(t, err)
	home := filepath.Join(root, "home", "ann")
	for _, c := range []struct {
		name, system string
		variables    map[string]string
		want         string
	}{
		{"Linux", "linux", map[string]string{"HOME": home}, filepath.Join(home, ".local", "share", "rcpt")},
		{"XDG", "linux", map[string]string{"HOME": home, "XDG_DATA_HOME": filepath.Join(root, "data")}, filepath.Join(root, "data", "rcpt")},
		{"relative XDG", "freebsd", map[string]string{"HOME": home, "XDG_DATA_HOME": "data"}, filepath.Join(home, ".local", "share", "rcpt")},
		{"no home", "linux", nil, ""},
		{"macOS", "darwin", map[string]string{"HOME": home, "XDG_DATA_HOME": root}, filepath.Join(home, "Library", "Application Support", "rcpt")},
		{"macOS without home", "darwin", nil, ""},
		{"Windows", "windows", map[string]string{"HOME": root, "LocalAppData": home}, filepath.Join(home, "rcpt")},
		{"Windows without profile", "windows", map[string]string{"HOME": home}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := userData(c.system, func(name string) string { return c.variables[name] }); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
