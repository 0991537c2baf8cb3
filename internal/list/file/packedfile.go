package file

import (
	"github.com/rcpt/rcpt/internal/list"
)

// packedFile is a file that is compressed, or a spreadsheet. After each Write
// the rows so far can be unpacked, but for those of a spreadsheet, which needs
// Sync or Close.
type packedFile struct {
	outputFile
	packer list.Packer
	count  *countingFile
	kept   int64 // octets of the file after the last whole Write
	ended  bool
}

func newPackedFile(file outputFile, w *list.Writer, packing list.Packing) (*packedFile, error) {
	count := &countingFile{outputFile: file}
	p := &packedFile{outputFile: file, count: count}
	var err error
	if p.packer, err = w.Pack(count, packing); err != nil {
		p.ended = true
		return p, err
	}
	_, err = p.flush(0)
	return p, err
}

// Write writes whole rows. After an error it returns how many octets of them
// are in the file, packed.
func (p *packedFile) Write(rows []byte) (int, error) {
	if _, err := p.packer.Write(rows); err != nil {
		p.ended = true
		return int(p.count.octets - p.kept), err
	}
	return p.flush(len(rows))
}

func (p *packedFile) flush(rows int) (int, error) {
	if err := p.packer.Flush(); err != nil {
		p.ended = true
		return int(p.count.octets - p.kept), err
	}
	p.kept = p.count.octets
	return rows, nil
}

// Truncate removes what was written since the last whole Write, whatever the
// size.
func (p *packedFile) Truncate(int64) error { return p.outputFile.Truncate(p.kept) }

// Sync ends the packed data and syncs the file.
func (p *packedFile) Sync() error {
	if err := p.end(); err != nil {
		return err
	}
	return p.outputFile.Sync()
}

// Close ends the packed data and closes the file.
func (p *packedFile) Close() error {
	err := p.end()
	if closeErr := p.outputFile.Close(); err == nil {
		err = closeErr
	}
	return err
}

func (p *packedFile) end() error {
	if p.ended {
		return nil
	}
	p.ended = true
	return p.packer.Close()
}

// countingFile counts the octets of a file.
type countingFile struct {
	outputFile
	octets int64
}

func (c *countingFile) Write(p []byte) (int, error) {
	n, err := c.outputFile.Write(p)
	c.octets += int64(n)
	return n, err
}
