package dashboard

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed assets
var assetFiles embed.FS

// asset is a file that pages refer to. Its name has a part of its hash, so that
// browsers may keep it for ever.
type asset struct {
	name string // in the folder
	data []byte
}

// loadAssets returns the files by the paths that they are served under.
func loadAssets() (map[string]asset, error) {
	assets := map[string]asset{}
	entries, err := fs.ReadDir(assetFiles, "assets")
	for _, entry := range entries {
		data, err := assetFiles.ReadFile("assets/" + entry.Name())
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(data)
		ext := path.Ext(entry.Name())
		served := "/assets/" + strings.TrimSuffix(entry.Name(), ext) + "." + hex.EncodeToString(sum[:6]) + ext
		assets[served] = asset{name: entry.Name(), data: data}
	}
	return assets, err
}

func (a asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, a.name, time.Time{}, bytes.NewReader(a.data))
}
