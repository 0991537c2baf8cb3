package exchange

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// tagBytes is how much of its hash names a representation: enough that no two
// are the same.
const tagBytes = 16

// File is a file that does not change while the program runs, in its forms (RFC
// 9110 §3.2).
type File struct {
	mediaType      string
	plain, gzipped representation
}

// representation is one of them, with the strong validator of its bytes (RFC
// 9110 §8.8.3).
type representation struct {
	content  []byte
	etag     string
	encoding string // empty: none
}

// NewFile returns a file of a media type.
func NewFile(mediaType string, content []byte) *File {
	return &File{mediaType, newRepresentation(content, ""), newRepresentation(compressed(content), "gzip")}
}

// PlainFile returns a file that is never compressed, which takes less time to
// make than to compress.
func PlainFile(mediaType string, content []byte) *File {
	return &File{mediaType: mediaType, plain: newRepresentation(content, "")}
}

// UnpackedFile is a file that is kept compressed. It is embedded, and tested.
func UnpackedFile(mediaType string, gzipped []byte) *File {
	reader, err := gzip.NewReader(bytes.NewReader(gzipped))
	if err != nil {
		panic(err)
	}
	content, err := io.ReadAll(reader)
	if err != nil {
		panic(err)
	}
	return &File{mediaType, newRepresentation(content, ""), newRepresentation(gzipped, "gzip")}
}

func newRepresentation(content []byte, encoding string) representation {
	sum := sha256.Sum256(content)
	return representation{content, `"` + base64.RawURLEncoding.EncodeToString(sum[:tagBytes]) + `"`, encoding}
}

func compressed(content []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is one
	_, _ = w.Write(content)                                 // a buffer takes all
	_ = w.Close()
	return out.Bytes()
}

// Serve answers GET and HEAD. Browsers and proxies may keep the file and must
// revalidate it: after an update it has changed.
func (f *File) Serve(w http.ResponseWriter, r *http.Request) {
	chosen := f.plain
	if f.gzipped.content != nil && AcceptsGzip(r.Header.Values("Accept-Encoding")) {
		chosen = f.gzipped
	}
	header := w.Header()
	header.Set("ETag", chosen.etag)
	header.Set("Cache-Control", "no-cache")
	header.Set("Vary", "Accept-Encoding")
	header.Set("X-Content-Type-Options", "nosniff")
	if names(r.Header.Values("If-None-Match"), chosen.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Type", f.mediaType)
	header.Set("Content-Length", strconv.Itoa(len(chosen.content)))
	if chosen.encoding != "" {
		header.Set("Content-Encoding", chosen.encoding)
	}
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(chosen.content) // an error means that the client has gone
	}
}

// AcceptsGzip reads Accept-Encoding (RFC 9110 §12.5.3). A weight of zero means
// "not that"; other weights are not compared, because there is nothing better
// than gzip.
func AcceptsGzip(fields []string) bool {
	rest := false
	for element := range elements(fields) {
		coding, weight, _ := strings.Cut(element, ";")
		wanted := !zeroWeight(weight)
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip":
			return wanted
		case "*":
			rest = wanted
		}
	}
	return rest
}

func zeroWeight(parameter string) bool {
	name, value, _ := strings.Cut(parameter, "=")
	weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return strings.EqualFold(strings.TrimSpace(name), "q") && err == nil && weight == 0
}

// names reads If-None-Match, which compares weakly (RFC 9110 §13.1.2).
func names(fields []string, etag string) bool {
	for element := range elements(fields) {
		if element == "*" || strings.TrimPrefix(element, "W/") == etag {
			return true
		}
	}
	return false
}

// elements iterates over the elements of a list field (RFC 9110 §5.6.1). None
// of ours has a comma in it.
func elements(fields []string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, field := range fields {
			for element := range strings.SplitSeq(field, ",") {
				if element = strings.TrimSpace(element); element != "" && !yield(element) {
					return
				}
			}
		}
	}
}
