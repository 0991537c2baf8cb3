package packages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// Tags of the header of an RPM package (rpm-tags(7)).
const (
	tagName        = 1000
	tagVersion     = 1001
	tagArch        = 1022
	tagPreInstall  = 1023
	tagPostInstall = 1024
	tagPreRemove   = 1025
	tagPostRemove  = 1026
	tagModes       = 1030
	tagFlags       = 1037
	tagUsers       = 1039
	tagGroups      = 1040
	tagFolderOf    = 1116
	tagBaseNames   = 1117
	tagFolders     = 1118

	// A changed file stays, and the new one gets the suffix .rpmnew.
	flagsKept = 1 | 16
)

// readRPM reads an RPM package: a lead of 96 octets, a header with the
// signatures, a header, and a packed archive of cpio.
func readRPM(r io.Reader) (c contents, err error) {
	if _, err := io.CopyN(io.Discard, r, 96); err != nil {
		return c, err
	}
	signatures, err := readHeader(r)
	if err != nil {
		return c, fmt.Errorf("signatures: %w", err)
	}
	if _, err := io.CopyN(io.Discard, r, int64(-len(signatures.store)&7)); err != nil { // to a multiple of eight
		return c, err
	}
	h, err := readHeader(r)
	if err != nil {
		return c, err
	}
	c.name, c.version, c.arch = h.text(tagName), h.text(tagVersion), h.text(tagArch)
	c.scripts = map[string]string{}
	for tag, moment := range map[uint32]string{tagPreInstall: "not expected", tagPostInstall: afterInstall, tagPreRemove: beforeRemove, tagPostRemove: afterRemove} {
		if script := h.text(tag); script != "" {
			c.scripts[moment] = script
		}
	}
	payload, err := io.ReadAll(r)
	if err != nil {
		return c, err
	}
	archive, err := gunzip(payload)
	if err != nil {
		return c, err
	}
	data, err := readCpio(bytes.NewReader(archive))
	if err != nil {
		return c, err
	}
	c.files = h.files(data)
	return c, nil
}

// header is the table of a package's properties.
type header struct {
	entries map[uint32]entry
	store   []byte
}

type entry struct{ offset, count uint32 }

func readHeader(r io.Reader) (h header, err error) {
	var intro struct{ Magic, Reserved, Entries, Size uint32 }
	if err := binary.Read(r, binary.BigEndian, &intro); err != nil {
		return h, err
	}
	if intro.Magic != 0x8eade801 {
		return h, fmt.Errorf("a header begins with %x", intro.Magic)
	}
	index := make([]struct{ Tag, Type, Offset, Count uint32 }, intro.Entries)
	if err := binary.Read(r, binary.BigEndian, index); err != nil {
		return h, err
	}
	h.entries = map[uint32]entry{}
	for _, e := range index {
		h.entries[e.Tag] = entry{e.Offset, e.Count}
	}
	h.store = make([]byte, intro.Size)
	_, err = io.ReadFull(r, h.store)
	return h, err
}

// texts returns the strings of a tag, without their NUL.
func (h header) texts(tag uint32) []string {
	e := h.entries[tag]
	return strings.SplitN(string(h.store[e.offset:]), "\x00", int(e.count)+1)[:e.count]
}

func (h header) text(tag uint32) string {
	if texts := h.texts(tag); len(texts) == 1 {
		return texts[0]
	}
	return ""
}

// files joins what the header says of files with their data.
func (h header) files(data map[string][]byte) map[string]file {
	users, groups, folders := h.texts(tagUsers), h.texts(tagGroups), h.texts(tagFolders)
	files := map[string]file{}
	for i, name := range h.texts(tagBaseNames) {
		mode := binary.BigEndian.Uint16(h.store[h.entries[tagModes].offset+uint32(2*i):])
		flags := binary.BigEndian.Uint32(h.store[h.entries[tagFlags].offset+uint32(4*i):])
		folder := folders[binary.BigEndian.Uint32(h.store[h.entries[tagFolderOf].offset+uint32(4*i):])]
		if mode&0o170000 == 0o040000 {
			continue
		}
		path := folder + name
		files[path] = file{mode: fs.FileMode(mode & 0o7777), owner: users[i] + ":" + groups[i], config: flags&flagsKept == flagsKept, data: data[path]}
	}
	return files
}

// readCpio returns the files of an archive of cpio in the format "newc", by
// absolute path.
func readCpio(r io.Reader) (map[string][]byte, error) {
	files := map[string][]byte{}
	for head := make([]byte, 110); ; {
		if _, err := io.ReadFull(r, head); err != nil {
			return nil, err
		}
		size, err := strconv.ParseUint(string(head[54:62]), 16, 32)
		length, err2 := strconv.ParseUint(string(head[94:102]), 16, 32)
		if err := errors.Join(err, err2); err != nil || string(head[:6]) != "070701" {
			return nil, fmt.Errorf("a file of the archive begins with %q: %w", head[:6], err)
		}
		name := make([]byte, length+(-(length+110))&3) // head, name and data end at multiples of four
		data := make([]byte, size+(-size)&3)
		if _, err := io.ReadFull(r, name); err != nil {
			return nil, err
		}
		if _, err := io.ReadFull(r, data); err != nil {
			return nil, err
		}
		path := string(name[:length-1])
		if path == "TRAILER!!!" {
			return files, nil
		}
		files["/"+strings.TrimPrefix(strings.TrimPrefix(path, "."), "/")] = data[:size]
	}
}
