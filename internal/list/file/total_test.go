package file

import "testing"

func TestTotal(t *testing.T) {
	for _, c := range []struct {
		name                          string
		rows, rowOctets, octets, size int64
		ended                         bool
		want                          Total
	}{
		{"nothing yet", 0, 0, 0, 1000, false, Total{}},
		{"a quarter is read", 25, 250, 1000, 1000, false, Total{Rows: 100}},
		{"a quarter, in UTF-16", 25_000, 500_000, 1_000_000 + readAheadOctets, 4_000_000, false, Total{Rows: 100_000}},
		{"all is read", 80, 800, 1000, 1000, true, Total{Rows: 80, Exact: true}},
		{"a pipe", 80, 800, 900, 0, false, Total{}},
		{"a file that grows", 80, 2000, 2000, 1000, false, Total{Rows: 80}},
		{"an empty list", 0, 0, 0, 0, true, Total{Exact: true}},
	} {
		if got := totalOf(c.rows, c.rowOctets, c.octets, c.size, c.ended); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
