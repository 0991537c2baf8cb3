// Command rcpt-image writes a container image for several architectures, as a
// tar file in the OCI image layout. It needs no container engine. The image is
// that of deploy/docker/Dockerfile: the static binary, CA certificates and an
// empty data folder. The same files give the same octets.
//
//	rcpt-image IMAGE.tar VERSION CERTIFICATES amd64=BINARY arm64=BINARY
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// user is the numeric user that the image runs as.
const user = 65532

// Media types of the OCI image format.
const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// descriptor refers to a blob.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    map[string]string `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "rcpt-image:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 4 {
		return errors.New("usage: rcpt-image IMAGE.tar VERSION CERTIFICATES ARCH=BINARY...")
	}
	certificates, err := os.ReadFile(args[2])
	if err != nil {
		return err
	}
	image := layout{version: args[1], seen: map[string]bool{}}
	image.tar = tar.NewWriter(&image.text)
	var platforms []descriptor
	for _, arg := range args[3:] {
		arch, path, _ := strings.Cut(arg, "=")
		binary, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		manifest, err := image.platform(arch, binary, certificates)
		if err != nil {
			return err
		}
		platforms = append(platforms, manifest)
	}
	if err := image.finish(platforms); err != nil {
		return err
	}
	return os.WriteFile(args[0], image.text.Bytes(), 0o644)
}

// layout is an OCI image layout in the making.
type layout struct {
	version string
	text    bytes.Buffer
	tar     *tar.Writer
	seen    map[string]bool
}

// platform adds the image of an architecture.
func (l *layout) platform(arch string, binary, certificates []byte) (descriptor, error) {
	files, err := rootFiles(binary, certificates)
	if err != nil {
		return descriptor{}, err
	}
	var layer bytes.Buffer
	packed := gzip.NewWriter(&layer)
	if _, err := packed.Write(files); err != nil {
		return descriptor{}, err
	}
	if err := packed.Close(); err != nil {
		return descriptor{}, err
	}
	layerAt, err := l.blob(typeLayer, layer.Bytes())
	if err != nil {
		return descriptor{}, err
	}
	configAt, err := l.object(typeConfig, config(arch, l.version, files))
	if err != nil {
		return descriptor{}, err
	}
	manifest, err := l.object(typeManifest, map[string]any{
		"schemaVersion": 2, "mediaType": typeManifest, "config": configAt, "layers": []descriptor{layerAt},
	})
	manifest.Platform = map[string]string{"os": "linux", "architecture": arch}
	return manifest, err
}

// config is the configuration of the image: the instructions of the Dockerfile.
func config(arch, version string, files []byte) map[string]any {
	const second = int64(1_000_000_000)
	return map[string]any{
		"architecture": arch, "os": "linux",
		"config": map[string]any{
			"User":         fmt.Sprintf("%d:%d", user, user),
			"Env":          []string{"RCPT_LISTEN=:8080", "RCPT_METRICS_LISTEN=:9464", "RCPT_DATA=/data"},
			"Entrypoint":   []string{"/rcpt"},
			"Cmd":          []string{"serve"},
			"Volumes":      map[string]any{"/data": struct{}{}},
			"ExposedPorts": map[string]any{"8080/tcp": struct{}{}, "9464/tcp": struct{}{}},
			"StopSignal":   "SIGTERM",
			"Healthcheck": map[string]any{
				"Test": []string{"CMD", "/rcpt", "health"}, "Interval": 10 * second, "Timeout": 5 * second,
				"StartPeriod": 5 * second,
			},
			"Labels": map[string]string{
				"org.opencontainers.image.source":  "https://github.com/rcpt/rcpt",
				"org.opencontainers.image.version": version, "org.opencontainers.image.licenses": "MIT",
			},
		},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{digest(files)}},
	}
}

// rootFiles is the root file system, as a tar file.
func rootFiles(binary, certificates []byte) ([]byte, error) {
	var text bytes.Buffer
	w := tar.NewWriter(&text)
	for _, f := range []struct {
		tar.Header
		data []byte
	}{
		{tar.Header{Name: "rcpt", Mode: 0o755}, binary},
		{tar.Header{Name: "etc/", Mode: 0o755, Typeflag: tar.TypeDir}, nil},
		{tar.Header{Name: "etc/ssl/", Mode: 0o755, Typeflag: tar.TypeDir}, nil},
		{tar.Header{Name: "etc/ssl/certs/", Mode: 0o755, Typeflag: tar.TypeDir}, nil},
		{tar.Header{Name: "etc/ssl/certs/ca-certificates.crt", Mode: 0o644}, certificates},
		{tar.Header{Name: "data/", Mode: 0o700, Typeflag: tar.TypeDir, Uid: user, Gid: user}, nil},
	} {
		f.Size = int64(len(f.data))
		if err := w.WriteHeader(&f.Header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return text.Bytes(), err
}

// finish writes the index of the platforms and the head of the layout.
func (l *layout) finish(platforms []descriptor) error {
	index, err := l.object(typeIndex, map[string]any{
		"schemaVersion": 2, "mediaType": typeIndex, "manifests": platforms,
	})
	if err != nil {
		return err
	}
	index.Annotations = map[string]string{"org.opencontainers.image.ref.name": l.version}
	head, err := json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": typeIndex, "manifests": []descriptor{index},
	})
	if err != nil {
		return err
	}
	return errors.Join(l.file("index.json", head),
		l.file("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)), l.tar.Close())
}

// object adds a JSON object as a blob.
func (l *layout) object(mediaType string, object any) (descriptor, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return descriptor{}, err
	}
	return l.blob(mediaType, text)
}

// blob adds a blob, once.
func (l *layout) blob(mediaType string, data []byte) (descriptor, error) {
	d := descriptor{MediaType: mediaType, Digest: digest(data), Size: len(data)}
	if l.seen[d.Digest] {
		return d, nil
	}
	l.seen[d.Digest] = true
	return d, l.file("blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:"), data)
}

func (l *layout) file(name string, data []byte) error {
	if err := l.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(data))}); err != nil {
		return err
	}
	_, err := io.Copy(l.tar, bytes.NewReader(data))
	return err
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
