package listupdate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/wholefile"
	"github.com/rcpt/rcpt/lists"
)

// MaxBundle bounds an edition in bytes: the embedded one has 3.4 MB, and one of
// twenty times as much is not ours.
const MaxBundle = 64 << 20

// onlyForUser is the mode of a data folder that we make, in which private
// things may come to lie.
const onlyForUser = 0o700

// oldSuffix ends the name of the file with the edition from before.
const oldSuffix = ".old"

// Read reads an edition. It must have the given SHA-256, if any: that of the
// file, or the one that it bears.
func Read(data []byte, sum string) (*lists.Bundle, error) {
	found, err := lists.ReadBundle(data)
	switch {
	case err != nil && isWebPage(data):
		return nil, errors.New("this is a web page: use the URL of the file itself")
	case err != nil:
		return nil, fmt.Errorf("this is not a valid edition of the lists, download it again: %w", err)
	}
	ofFile := sha256.Sum256(data)
	if got := hex.EncodeToString(ofFile[:]); sum != "" && sum != got && sum != found.SHA256() {
		return nil, fmt.Errorf("this is not the file of --sha256: its SHA-256 is %s", got)
	}
	return found, nil
}

func isWebPage(data []byte) bool {
	return strings.HasPrefix(http.DetectContentType(data), "text/html")
}

// Install writes the edition, and before that a copy of the one in use, where
// that is a file.
func Install(data []byte, path, used string) error {
	if err := os.MkdirAll(filepath.Dir(path), onlyForUser); err != nil {
		return err
	}
	if used != "" {
		old, err := wholefile.ReadUpTo(MaxBundle, used)
		if err != nil {
			return fmt.Errorf("%s: %w", used, err)
		}
		if err := wholefile.Replace(path+oldSuffix, old); err != nil {
			return err
		}
	}
	return wholefile.Replace(path, data)
}
