// SPDX-License-Identifier: Apache-2.0

// The reference peer: crypto/tls of Go's standard library behind the lines of the workers' protocol, as far as a peer
// needs them (hello, prepare, compute, bye). It plays one side of a handshake over the descriptor that it was started
// with: TLS_PEER=DESCRIPTOR,MILLISECONDS.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

const longestLine = 8 << 20

// A reply is what stands behind `seq` and `ok`.
type reply map[string]interface{}

// A refusal of what was asked for, by one of the protocol's words.
type refusal struct{ code, detail string }

func (r refusal) Error() string { return r.code + ": " + r.detail }

type request struct {
	seq    uint64
	verb   string
	fields map[string]string
}

func parse(line string) (request, error) {
	words := strings.Split(line, " ")
	r := request{fields: map[string]string{}}
	if _, err := fmt.Sscanf(words[0], "%d", &r.seq); err != nil || len(words) < 2 {
		return r, refusal{"bad-request", "not a number and a verb"}
	}
	r.verb = words[1]
	for _, word := range words[2:] {
		at := strings.IndexByte(word, '=')
		if at <= 0 {
			return r, refusal{"bad-request", "a field is not key=value"}
		}
		r.fields[word[:at]] = word[at+1:]
	}
	return r, nil
}

func hello() reply {
	version := strings.TrimPrefix(strings.Fields(runtime.Version())[0], "go")
	return reply{"protocol": 2, "sdk": "none", "library": "go", "version": version, "version_from": "library",
		"compiler": runtime.Version(), "flags": "", "clock": "none", "clock_step_ns": 0}
}

func answer(r request, p *peer) (reply, error) {
	switch r.verb {
	case "hello":
		return hello(), nil
	case "prepare":
		return reply{}, p.prepare(r.fields)
	case "compute":
		return p.compute(), nil
	case "bye":
		return reply{}, nil
	}
	return nil, refusal{"unknown-verb", "no such verb"}
}

func write(to io.Writer, seq uint64, told reply, err error) {
	if err != nil {
		why, known := err.(refusal)
		if !known {
			why = refusal{"setup-failed", err.Error()}
		}
		told = reply{"error": why.code, "detail": why.detail}
	}
	told["seq"], told["ok"] = seq, err == nil
	line, _ := json.Marshal(told)
	_, _ = to.Write(append(line, '\n'))
}

// Lines of the input. Its end means that the asker has gone. Then this program ends too, whatever it is doing.
func lines(from io.Reader) <-chan string {
	out := make(chan string)
	go func() {
		scanner := bufio.NewScanner(from)
		scanner.Buffer(make([]byte, 1<<16), longestLine)
		for scanner.Scan() {
			out <- scanner.Text()
		}
		os.Exit(0)
	}()
	return out
}

func main() {
	p := newPeer(os.Getenv("TLS_PEER"))
	for line := range lines(os.Stdin) {
		r, err := parse(line)
		var told reply
		if err == nil {
			told, err = answer(r, p)
		}
		write(os.Stdout, r.seq, told, err)
		if r.verb == "bye" {
			return
		}
	}
}
