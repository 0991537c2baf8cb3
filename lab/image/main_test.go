package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestImage writes an image of two platforms, twice, and follows its digests.
func TestImage(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	args := []string{"", "v1.2.3", write("ca", "certificates"), "amd64=" + write("a", "binary"), "arm64=" + write("b", "another")}
	var images [2][]byte
	for i := range images {
		args[0] = filepath.Join(dir, "image.tar")
		if err := run(args); err != nil {
			t.Fatal(err)
		}
		var err error
		if images[i], err = os.ReadFile(args[0]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(images[0], images[1]) {
		t.Error("two images of the same files differ")
	}
	if err := run([]string{args[0], "v1.2.3", filepath.Join(dir, "none"), "amd64=x"}); err == nil {
		t.Error("a missing file is no error")
	}
}

// TestDockerfile: the image has what the Dockerfile says.
func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "docker", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	c := config("amd64", "", nil)["config"].(map[string]any)
	for _, want := range []string{
		"USER " + c["User"].(string), "ENV " + strings.Join(c["Env"].([]string), " "), "VOLUME /data", "EXPOSE 8080 9464",
		`ENTRYPOINT ["` + c["Entrypoint"].([]string)[0] + `"]`, `CMD ["` + c["Cmd"].([]string)[0] + `"]`,
		"STOPSIGNAL " + c["StopSignal"].(string), "HEALTHCHECK --interval=10s --timeout=5s --start-period=5s CMD",
	} {
		if !bytes.Contains(text, []byte(want+"\n")) && !bytes.Contains(text, []byte(want+" ")) {
			t.Errorf("the Dockerfile lacks %q", want)
		}
	}
}

// TestSkopeo: another program can read the image.
func TestSkopeo(t *testing.T) {
	skopeo, err := exec.LookPath("skopeo")
	if err != nil {
		t.Skip("there is no skopeo")
	}
	dir := t.TempDir()
	image, file := filepath.Join(dir, "image.tar"), filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{image, "v1", file, "amd64=" + file, "arm64=" + file}); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), skopeo, "copy", "--insecure-policy", "--all", "oci-archive:"+image, "dir:"+filepath.Join(dir, "copy")).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
