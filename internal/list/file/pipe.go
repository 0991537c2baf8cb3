package file

import (
	"io"
	"os"
	"slices"
)

// openUntil opens a file, unless stop is closed before: opening a named pipe
// waits until another program opens it for writing.
func openUntil(stop <-chan struct{}, name string) (*os.File, error) {
	type opened struct {
		file *os.File
		err  error
	}
	result := make(chan opened, 1)
	go func() {
		file, err := os.Open(name)
		result <- opened{file, err}
	}()
	select {
	case r := <-result:
		if r.err != nil {
			return nil, errorOf(name, r.err)
		}
		return r.file, nil
	case <-stop:
		return nil, ErrInterrupted
	}
}

// pipeChunk is how much is read from a pipe at a time: the capacity of a pipe
// on Linux.
const pipeChunk = 64 << 10

// interruptible reads from r until stop or the reader's done is closed: a read
// from a pipe or a terminal may never return.
func interruptible(r io.Reader, stop <-chan struct{}) *pipeReader {
	chunks := make(chan chunk)
	go readChunks(r, chunks, stop)
	return &pipeReader{chunks: chunks, stop: stop}
}

type chunk struct {
	octets []byte
	err    error
}

func readChunks(r io.Reader, chunks chan<- chunk, stop <-chan struct{}) {
	buffer := make([]byte, pipeChunk)
	for {
		n, err := r.Read(buffer)
		select {
		case chunks <- chunk{slices.Clone(buffer[:n]), err}:
		case <-stop:
			return
		}
		if err != nil {
			return
		}
	}
}

type pipeReader struct {
	chunks <-chan chunk
	stop   <-chan struct{}
	done   <-chan struct{} // of whoever reads; nil: nobody hurries it
	rest   chunk
}

func (p *pipeReader) Read(into []byte) (int, error) {
	if len(p.rest.octets) == 0 && p.rest.err == nil {
		select {
		case p.rest = <-p.chunks:
		case <-p.stop:
			return 0, ErrInterrupted
		case <-p.done:
			return 0, ErrInterrupted
		}
	}
	n := copy(into, p.rest.octets)
	p.rest.octets = p.rest.octets[n:]
	if len(p.rest.octets) > 0 {
		return n, nil
	}
	return n, p.rest.err
}
