package packages

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// readDeb reads a Debian package (deb(5)): an archive of ar, with a tar archive
// for the control files and one for the files.
func readDeb(r io.Reader) (c contents, err error) {
	c.scripts, c.files = map[string]string{}, map[string]file{}
	members, err := readAr(r)
	if err != nil {
		return c, err
	}
	control, err := untar(members["control.tar.gz"])
	if err != nil {
		return c, fmt.Errorf("control.tar.gz: %w", err)
	}
	for script, moment := range map[string]string{"postinst": afterInstall, "prerm": beforeRemove, "postrm": afterRemove} {
		if file, ok := control["/"+script]; ok && file.mode&0o111 != 0 {
			c.scripts[moment] = string(file.data)
		}
	}
	for name := range control {
		if name == "/preinst" || name == "/config" || name == "/triggers" {
			c.scripts[name] = "not expected"
		}
	}
	said := fields(control["/control"].data, ": ")
	c.name, c.version, c.arch = said["Package"], said["Version"], said["Architecture"]
	if c.files, err = untar(members["data.tar.gz"]); err != nil {
		return c, fmt.Errorf("data.tar.gz: %w", err)
	}
	for path := range strings.Lines(string(control["/conffiles"].data)) {
		path = strings.TrimSpace(path)
		file := c.files[path]
		file.config = true
		c.files[path] = file
	}
	return c, nil
}

// readAr returns the members of an archive of ar, by name.
func readAr(r io.Reader) (map[string][]byte, error) {
	magic := make([]byte, 8)
	if _, err := io.ReadFull(r, magic); err != nil || string(magic) != "!<arch>\n" {
		return nil, fmt.Errorf("it begins with %q: %w", magic, err)
	}
	members := map[string][]byte{}
	for header := make([]byte, 60); ; {
		if _, err := io.ReadFull(r, header); errors.Is(err, io.EOF) {
			return members, nil
		} else if err != nil {
			return nil, err
		}
		size, err := strconv.Atoi(strings.TrimSpace(string(header[48:58])))
		if err != nil {
			return nil, err
		}
		data := make([]byte, size+size%2)
		if _, err := io.ReadFull(r, data); err != nil {
			return nil, err
		}
		members[strings.Trim(string(header[:16]), " /")] = data[:size]
	}
}

// readAPK reads an Alpine package: tar archives, one after the other, each
// packed with gzip for itself. The last has the files. Like apk, it compares
// them with their checksums in the one before.
func readAPK(r io.Reader) (c contents, err error) {
	c.scripts = map[string]string{}
	data, err := io.ReadAll(r)
	if err != nil {
		return c, err
	}
	var archives []map[string]file
	var last []byte // as it is packed
	for packed := bytes.NewReader(data); packed.Len() > 0; {
		from := len(data) - packed.Len()
		one, err := gzip.NewReader(packed)
		if err != nil {
			return c, err
		}
		one.Multistream(false)
		archive, err := readTar(one)
		if err != nil {
			return c, err
		}
		archives, last = append(archives, archive), data[from:len(data)-packed.Len()]
	}
	if len(archives) < 2 {
		return c, fmt.Errorf("%d archives", len(archives))
	}
	c.files = archives[len(archives)-1]
	control := archives[len(archives)-2]
	moments := map[string]string{"/.post-install": afterInstall, "/.pre-deinstall": beforeRemove, "/.post-deinstall": afterRemove}
	for name, file := range control {
		if name == "/.PKGINFO" {
			said := fields(file.data, " = ")
			c.name, c.version, c.arch = said["pkgname"], said["pkgver"], said["arch"]
			if sum := sha256.Sum256(last); said["datahash"] != hex.EncodeToString(sum[:]) {
				return c, fmt.Errorf("the files have the SHA-256 %x, and .PKGINFO says %s", sum, said["datahash"])
			}
		} else if moment, ok := moments[name]; ok && file.mode&0o111 != 0 {
			c.scripts[moment] = string(file.data)
		} else {
			c.scripts[name] = "not expected"
		}
	}
	// apk protects what is in /etc without being told.
	for path, file := range c.files {
		if sum := sha1.Sum(file.data); file.sha1 != hex.EncodeToString(sum[:]) {
			return c, fmt.Errorf("%s has the SHA-1 %x, and its header says %q", path, sum, file.sha1)
		}
		file.config = strings.HasPrefix(path, "/etc/")
		c.files[path] = file
	}
	return c, nil
}

// untar returns the files of a packed tar archive by absolute path.
func untar(packed []byte) (map[string]file, error) {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return readTar(reader)
}

func readTar(r io.Reader) (map[string]file, error) {
	files := map[string]file{}
	archive := tar.NewReader(r)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, r) // the end of what is packed
			return files, err
		}
		if err != nil {
			return nil, err
		}
		if header.Typeflag == tar.TypeDir {
			continue
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			return nil, err
		}
		path := "/" + strings.TrimPrefix(strings.TrimPrefix(header.Name, "."), "/")
		if strings.HasPrefix(header.Name, ".") && !strings.HasPrefix(header.Name, "./") {
			path = "/" + header.Name // a control file of apk
		}
		files[path] = file{mode: fs.FileMode(header.Mode), owner: header.Uname + ":" + header.Gname, data: data,
			sha1: header.PAXRecords["APK-TOOLS.checksum.SHA1"]}
	}
}

// fields returns the lines "name<separator>value" of a control file.
func fields(text []byte, separator string) map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), separator); ok {
			found[name] = value
		}
	}
	return found
}
