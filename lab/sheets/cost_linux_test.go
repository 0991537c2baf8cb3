package sheets

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/rcpt/rcpt/internal/list/xlsx"
)

// costColumns is how many columns the list of [BenchmarkCost] has.
const costColumns = 6

// costRows is how many rows it has.
func costRows() int {
	rows, err := strconv.Atoi(cmp.Or(os.Getenv("TEST_ROWS"), "100000"))
	if err != nil {
		panic(err)
	}
	return rows
}

// cost is what reading or writing took. The peak of memory is that of a
// process of its own.
type cost struct {
	First float64 // seconds to the first octet or row
	Temp  int64   // octets in temporary files
	Rows  int
}

// BenchmarkCost writes and reads a list with the package here and with
// excelize: TEST_ROWS=1000000 go test -run '^$' -bench Cost -benchtime 1x
// ./sheets.
func BenchmarkCost(b *testing.B) {
	file := filepath.Join(b.TempDir(), "list.xlsx")
	for _, job := range []string{"write/excelize", "read/excelize", "write/rcpt", "read/rcpt"} {
		b.Run(job, func(b *testing.B) {
			for b.Loop() {
				measured, of, peak := costOf(b, job, file)
				b.ReportMetric(of.First, "first-s")
				b.ReportMetric(float64(of.Temp)/(1<<20), "temp-MiB")
				b.ReportMetric(float64(peak)/(1<<10), "peak-MiB")
				b.ReportMetric(measured.Seconds(), "cpu-s")
			}
		})
	}
}

// costOf does a job in a process of its own.
func costOf(b *testing.B, job, file string) (cpu time.Duration, of cost, peak int64) {
	b.Helper()
	command := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestCostOf$", "-test.v")
	command.Env = append(os.Environ(), "SHEETS_JOB="+job, "SHEETS_FILE="+file)
	command.WaitDelay = time.Second
	out, err := command.Output()
	if err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	_, line, found := strings.Cut(string(out), costMark)
	line, _, _ = strings.Cut(line, "\n")
	if err := json.Unmarshal([]byte(line), &of); !found || err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	if of.Rows != costRows() {
		b.Fatalf("%d rows", of.Rows)
	}
	usage := command.ProcessState.SysUsage().(*syscall.Rusage)
	return command.ProcessState.UserTime() + command.ProcessState.SystemTime(), of, usage.Maxrss
}

// costMark begins the line with the costs.
const costMark = "costs: "

// TestCostOf is the process of a job of [BenchmarkCost].
func TestCostOf(t *testing.T) {
	job := os.Getenv("SHEETS_JOB")
	if job == "" {
		t.Skip("it is a part of BenchmarkCost")
	}
	file, folder, start := os.Getenv("SHEETS_FILE"), t.TempDir(), time.Now()
	run := map[string]func(*testing.T, string, string, func()) cost{
		"write/rcpt": writeOurs, "read/rcpt": readOurs, "write/excelize": writeLibrary, "read/excelize": readLibrary,
	}[job]
	first := -1.0
	of := run(t, file, folder, func() {
		if first < 0 {
			first = time.Since(start).Seconds()
		}
	})
	of.First = first
	octets, err := json.Marshal(of)
	check(t, err)
	fmt.Println(costMark + string(octets))
}

// costRow is a row of the list: an address and texts.
func costRow(row int, texts []string) []string {
	texts = append(texts[:0], fmt.Sprintf("customer%d@acme.example", row))
	for column := 1; column < costColumns; column++ {
		texts = append(texts, fmt.Sprintf("value %d of row %d", column, row))
	}
	return texts
}

// noting calls came for each write.
type noting struct {
	*os.File
	came func()
}

func (n noting) Write(p []byte) (int, error) {
	n.came()
	return n.File.Write(p)
}

func writeOurs(t *testing.T, file, folder string, came func()) cost {
	out, err := os.Create(file)
	check(t, err)
	w, err := xlsx.NewWriter(noting{out, came}, nil)
	check(t, err)
	var texts []string
	var octets []byte
	cells := make([]xlsx.Cell, costColumns)
	for row := range costRows() {
		texts = costRow(row, texts)
		for i, text := range texts {
			cells[i] = xlsx.Cell{Text: text}
		}
		octets = xlsx.AppendRow(octets[:0], cells)
		_, err := w.Write(octets)
		check(t, err)
	}
	check(t, w.Close())
	check(t, out.Close())
	return cost{Rows: costRows(), Temp: waiting(t, folder)}
}

func writeLibrary(t *testing.T, file, folder string, came func()) cost {
	book := excelize.NewFile(excelize.Options{TmpDir: folder})
	w, err := book.NewStreamWriter("Sheet1")
	check(t, err)
	var texts []string
	cells := make([]any, costColumns)
	for row := range costRows() {
		texts = costRow(row, texts)
		for i, text := range texts {
			cells[i] = text
		}
		check(t, w.SetRow("A"+strconv.Itoa(row+1), cells))
	}
	check(t, w.Flush())
	temp := waiting(t, folder)
	out, err := os.Create(file)
	check(t, err)
	check(t, book.Write(noting{out, came}))
	check(t, out.Close())
	check(t, book.Close())
	return cost{Rows: costRows(), Temp: temp}
}

func readOurs(t *testing.T, file, folder string, came func()) cost {
	in, err := os.Open(file)
	check(t, err)
	defer in.Close()
	book, err := xlsx.Read(in, folder)
	check(t, err)
	defer book.Close()
	rows, err := book.Rows("")
	check(t, err)
	defer rows.Close()
	count := 0
	for ; ; count++ {
		if _, err = rows.Next(); err != nil {
			break
		}
		came()
	}
	return cost{Rows: count, Temp: waiting(t, folder)}
}

func readLibrary(t *testing.T, file, folder string, came func()) cost {
	book, err := excelize.OpenFile(file, excelize.Options{TmpDir: folder, RawCellValue: true})
	check(t, err)
	defer func() { check(t, book.Close()) }()
	rows, err := book.Rows(book.GetSheetName(0))
	check(t, err)
	count := 0
	for ; rows.Next(); count++ {
		_, err := rows.Columns()
		check(t, err)
		came()
	}
	temp := waiting(t, folder)
	check(t, rows.Close())
	return cost{Rows: count, Temp: temp}
}

// waiting is the size of the files of a folder, also of those that are open
// without a name.
func waiting(t *testing.T, folder string) (size int64) {
	named, err := filepath.Glob(filepath.Join(folder, "*"))
	check(t, err)
	for _, name := range named {
		info, err := os.Stat(name)
		check(t, err)
		size += info.Size()
	}
	open, err := filepath.Glob("/proc/self/fd/*")
	check(t, err)
	for _, fd := range open {
		if target, err := os.Readlink(fd); err == nil && strings.HasPrefix(target, folder) && strings.HasSuffix(target, " (deleted)") {
			info, err := os.Stat(fd)
			check(t, err)
			size += info.Size()
		}
	}
	return size
}
