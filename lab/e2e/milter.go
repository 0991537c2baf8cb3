//go:build e2e && linux

package e2e

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"strings"
)

// milterAddress is where Postfix finds the milter.
const milterAddress = "127.0.0.1:10026"

// milterOpinions are the milter's answers to RCPT by local-part: a reply of its
// own, a temporary failure, a refusal (libmilter's SMFIR_*).
var milterOpinions = map[string]string{
	"grey": "y451 4.7.1 Greylisting in action, please come back in 00:05:00\x00",
	"gone": "y550 5.1.1 User unknown\x00",
	"slow": "t",
	"spam": "r",
}

// startMilter starts a milter that greylists, as milter-greylist does, in this
// process. It speaks as much of Sendmail's protocol, version 6, as there is up
// to RCPT.
func (w *world) startMilter() error {
	listener, err := net.Listen("tcp", milterAddress)
	if err != nil {
		return err
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serveMilter(conn)
		}
	}()
	return nil
}

func serveMilter(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		var size uint32
		if binary.Read(in, binary.BigEndian, &size) != nil || size == 0 {
			return
		}
		packet := make([]byte, size)
		if _, err := io.ReadFull(in, packet); err != nil {
			return
		}
		answer, more := milterAnswer(packet)
		if !more {
			return
		}
		if answer != "" {
			packet := append(binary.BigEndian.AppendUint32(nil, uint32(len(answer))), answer...)
			if _, err := conn.Write(packet); err != nil {
				return
			}
		}
	}
}

// milterAnswer answers a packet: its command and what belongs to it.
func milterAnswer(packet []byte) (answer string, more bool) {
	switch packet[0] {
	case 'O': // what the milter wants: version 6, no changes, all steps
		return "O\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00\x00", true
	case 'D', 'A': // macros, and the end of a transaction
		return "", true
	case 'Q':
		return "", false
	case 'R':
		local, _, _ := strings.Cut(strings.TrimPrefix(string(packet[1:]), "<"), "@")
		if opinion, ok := milterOpinions[local]; ok {
			return opinion, true
		}
	}
	return "c", true
}
