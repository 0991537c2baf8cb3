package settings

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sync/errgroup"
)

// TestControlSecret sees that all processes with a data folder have the same
// secret, those that find no folder at the same time, too.
func TestControlSecret(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new", "data")
	secrets := make([]string, 20)
	var together errgroup.Group
	for i := range secrets {
		together.Go(func() error {
			secret, err := controlSecretIn(folder)
			secrets[i] = string(secret)
			return err
		})
	}
	check(t, together.Wait())
	for _, secret := range secrets {
		if secret != secrets[0] || len(secret) != controlSecretLength {
			t.Errorf("secrets %x and %x", secrets[0], secret)
		}
	}
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 1 {
		t.Errorf("files %v, %v; want the secret alone", files, err)
	}
	if other, err := controlSecretIn(t.TempDir()); err != nil || string(other) == secrets[0] {
		t.Errorf("another folder: %x, %v", other, err)
	}
}

// TestControlSecretFails sees that a folder which cannot have a secret has
// none, and that a file with something else is left alone.
func TestControlSecretFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, nil, 0o600))
	damaged := t.TempDir()
	path := filepath.Join(damaged, controlSecretFile)
	check(t, os.WriteFile(path, []byte("short\n"), 0o600))
	for name, folder := range map[string]string{"none": "", "a file": file, "in a file": filepath.Join(file, "data"), "damaged": damaged} {
		if secret, err := controlSecretIn(folder); err == nil || secret != nil {
			t.Errorf("%s: secret %x, error %v", name, secret, err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "short\n" {
		t.Errorf("the damaged file is now %q, %v", text, err)
	}
}
