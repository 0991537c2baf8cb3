package jobs

import "testing"

// FuzzCells: what is read of a stored segment is what was stored, in rows of
// any number of cells, and damaged octets are never more than an error.
func FuzzCells(f *testing.F) {
	f.Add([]byte("\x80\x02a\n\x01a\x01\x02b\n\x01b\x00"), uint8(1))
	f.Add([]byte("\x00\x04a,b\n\x01a\x03\x00"), uint8(2))
	f.Add([]byte("\x01\xff"), uint8(3))
	f.Fuzz(func(t *testing.T, octets []byte, each uint8) {
		width := max(1, int(each))
		read, skipped := fields{left: octets}, fields{left: octets}
		var again []byte
		for at := 0; read.more(); at++ {
			c, raw := read.cell(at%width == 0)
			if repeated := skipped.skipCell(at%width == 0); repeated != c.repeated && read.err() == nil {
				t.Fatalf("cell %d is skipped as another", at)
			}
			again = c.append(again, raw, at%width == 0)
		}
		if (read.err() == nil) != (skipped.err() == nil) || len(read.left) != len(skipped.left) {
			t.Fatal("skipping ends elsewhere")
		}
		if read.err() != nil {
			return
		}
		stored := fields{left: again}
		for at := 0; stored.more(); at++ {
			stored.skipCell(at%width == 0)
		}
		if stored.err() != nil {
			t.Fatal("what is written cannot be read")
		}
	})
}
