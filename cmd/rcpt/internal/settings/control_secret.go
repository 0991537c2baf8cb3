package settings

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/sys/wholefile"
)

// controlSecretFile is the file of the data folder with the secret from which
// control mailboxes are made. With it, a host that greylists each recipient
// that it has not seen before is asked about the same ones when rcpt runs
// again.
const controlSecretFile = "control.secret"

// controlSecretLength is how many octets the secret has.
const controlSecretLength = 32

// ControlSecret returns the secret of the data folder, or nil where no mail
// host is asked, or the folder cannot have one: then each process has its own.
func (f EngineFlags) ControlSecret(logger *slog.Logger) []byte {
	if f.Level != engine.LevelSMTP {
		return nil
	}
	secret, err := controlSecretIn(f.Folder())
	if err != nil {
		logger.Debug("no secret of control mailboxes is kept, which hosts that greylist may need to settle",
			slog.String("error", err.Error()))
	}
	return secret
}

// controlSecretIn returns the secret of a data folder, and makes one if it has
// none. Processes that make one at the same time get the same secret.
func controlSecretIn(folder string) ([]byte, error) {
	if folder == "" {
		return nil, errors.New("there is no data folder")
	}
	path := filepath.Join(folder, controlSecretFile)
	secret, err := readControlSecret(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	secret = make([]byte, controlSecretLength)
	_, _ = rand.Read(secret) // crypto/rand never returns an error
	err = wholefile.Create(path, []byte(hex.EncodeToString(secret)+"\n"))
	if errors.Is(err, fs.ErrExist) {
		return readControlSecret(path)
	}
	if err != nil {
		return nil, err
	}
	return secret, nil
}

// readControlSecret reads what controlSecretIn wrote.
func readControlSecret(path string) ([]byte, error) {
	const most = 1 << 10
	text, err := wholefile.ReadUpTo(most, path)
	if err != nil {
		return nil, err
	}
	secret, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(secret) != controlSecretLength {
		return nil, fmt.Errorf("%s is damaged: delete it", path)
	}
	return secret, nil
}
