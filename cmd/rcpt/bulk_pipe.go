package main

import (
	"io"
	"slices"
)

// pipeChunk is how much is read from a pipe at a time: what Linux keeps in one.
const pipeChunk = 64 << 10

// interruptible reads from r until stop is closed: a pipe or a terminal may say nothing for ever.
func interruptible(r io.Reader, stop <-chan struct{}) io.Reader {
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
	rest   chunk
}

func (p *pipeReader) Read(into []byte) (int, error) {
	if len(p.rest.octets) == 0 && p.rest.err == nil {
		select {
		case p.rest = <-p.chunks:
		case <-p.stop:
			return 0, errInterrupted
		}
	}
	n := copy(into, p.rest.octets)
	p.rest.octets = p.rest.octets[n:]
	if len(p.rest.octets) > 0 {
		return n, nil
	}
	return n, p.rest.err
}
