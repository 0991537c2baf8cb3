package xlsx

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"github.com/rcpt/rcpt/internal/list/spool"
)

// maxTexts bounds the shared texts of a workbook, of which each takes eight
// octets of memory.
const maxTexts = 1 << 24

// texts are the texts that the cells of a workbook share.
type texts struct {
	octets spool.Spool
	ends   []int64 // where each text ends
}

// readStrings reads the part with the shared texts.
func (b *Book) readStrings(name string) error {
	t, _, err := b.tokens(name)
	if err != nil {
		return err
	}
	defer t.part.Close()
	var batch []byte // is written at once
	for {
		token, err := t.next()
		if errors.Is(err, io.EOF) {
			_, err = b.strings.octets.Write(batch)
			return err
		}
		if err != nil {
			return err
		}
		if e, is := token.(xml.StartElement); !is || e.Name.Local != "si" {
			continue
		}
		text, err := t.text("si")
		if err != nil {
			return err
		}
		batch = append(batch, text...)
		if len(b.strings.ends) == maxTexts {
			return fmt.Errorf("it has more than %d different texts", maxTexts)
		}
		b.strings.ends = append(b.strings.ends, b.strings.octets.Size()+int64(len(batch)))
		if len(batch) < 64<<10 {
			continue
		}
		if _, err := b.strings.octets.Write(batch); err != nil {
			return err
		}
		batch = batch[:0]
	}
}

// text reads the text of an element up to its end. Rich text has several runs,
// and a guide to the pronunciation is no part of it.
func (t *tokens) text(element string) (string, error) {
	var text []byte
	inside, guide := false, false
	for {
		token, err := t.next()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return "", err
		}
		switch token := token.(type) {
		case xml.StartElement:
			inside = inside || token.Name.Local == "t"
			guide = guide || token.Name.Local == "rPh"
		case xml.CharData:
			if inside && !guide {
				text = append(text, token...)
			}
			if len(text) > MaxRow {
				return "", errTooLong
			}
		case xml.EndElement:
			switch token.Name.Local {
			case "t":
				inside = false
			case "rPh":
				guide = false
			case element:
				return unescape(string(text)), nil
			}
		}
	}
}

// at returns a text by its number.
func (s *texts) at(i int) (string, error) {
	if i < 0 || i >= len(s.ends) {
		return "", fmt.Errorf("a cell refers to the shared text %d, of %d", i, len(s.ends))
	}
	from := int64(0)
	if i > 0 {
		from = s.ends[i-1]
	}
	text := make([]byte, s.ends[i]-from)
	if n, err := s.octets.ReadAt(text, from); n < len(text) {
		return "", err
	}
	return string(text), nil
}
