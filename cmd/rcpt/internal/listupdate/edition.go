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

	"github.com/rcpt/rcpt/internal/sys/wholefile"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/lists/signed"
)

// onlyForUser is the mode of a data folder that we create: it may later hold
// private data.
const onlyForUser = 0o700

// oldSuffix ends the name of the file with the previous edition.
const oldSuffix = ".old"

// Read parses an edition. If a SHA-256 is given, it must be that of the file or
// the one in the edition.
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

// Install writes the edition, after a copy of the one in use if that is a file.
func Install(data []byte, path, used string) error {
	if err := os.MkdirAll(filepath.Dir(path), onlyForUser); err != nil {
		return err
	}
	if used != "" {
		old, err := wholefile.ReadUpTo(signed.MaxBundle, used)
		if err != nil {
			return fmt.Errorf("%s: %w", used, err)
		}
		if err := wholefile.Replace(path+oldSuffix, old); err != nil {
			return err
		}
	}
	return wholefile.Replace(path, data)
}
