// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// responder is our side: a process that answers cases, started when it is needed and again after it has died.
type responder struct {
	path string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
}

// wireSection and wireCase are a case as test/differential/answer.cc reads it.
type wireSection struct {
	Name string `json:"name"`
	Arg  string `json:"arg"`
	Text string `json:"text"`
}

type wireCase struct {
	Helm     string        `json:"helm"`
	Sections []wireSection `json:"sections"`
}

type wireAnswer struct {
	Want    *string `json:"want"`
	Error   *string `json:"error"`
	Refused *string `json:"refused"`
}

// answers asks for all cases at once. If that ends the process, it asks for them one by one, and the end is the answer
// to the case that brings it about.
func (r *responder) answers(batch []*testCase) ([]caseAnswer, error) {
	made, died, err := r.ask(batch)
	if err != nil || died == nil {
		return made, err
	}
	made = nil
	for _, c := range batch {
		one, died, err := r.ask([]*testCase{c})
		if err != nil {
			return nil, err
		}
		if died != nil {
			one = []caseAnswer{{"the process has died: " + died.Error(), failed}}
		}
		made = append(made, one[0])
	}
	return made, nil
}

// ask returns the answers, or why the process has died.
func (r *responder) ask(batch []*testCase) (made []caseAnswer, died, err error) {
	if r.cmd == nil {
		if err := r.start(); err != nil {
			return nil, nil, err
		}
	}
	written := make(chan error, 1)
	go func() { written <- writeCases(r.in, batch) }()
	for range batch {
		line, err := r.out.ReadBytes('\n')
		if err != nil {
			<-written
			return nil, r.stop(), nil
		}
		one, err := decodeAnswer(line)
		if err != nil {
			return nil, nil, err
		}
		made = append(made, one)
	}
	return made, nil, <-written
}

func (r *responder) start() error {
	r.cmd = exec.Command(r.path)
	r.cmd.Stderr = os.Stderr
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		return err
	}
	r.out = bufio.NewReader(out)
	return r.cmd.Start()
}

// stop ends the process and says how it ended; never nil, so that an orderly end in the middle is told, too.
func (r *responder) stop() error {
	if r.cmd == nil {
		return nil
	}
	r.in.Close()
	err := r.cmd.Wait()
	r.cmd = nil
	if err == nil {
		err = fmt.Errorf("exit status 0")
	}
	return err
}

func writeCases(out io.Writer, batch []*testCase) error {
	for _, c := range batch {
		wire := wireCase{Helm: helmVersion()}
		for _, s := range c.Sections {
			wire.Sections = append(wire.Sections, wireSection(s))
		}
		line, err := json.Marshal(wire)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

func decodeAnswer(line []byte) (caseAnswer, error) {
	var wire wireAnswer
	if err := json.Unmarshal(line, &wire); err != nil {
		return caseAnswer{}, fmt.Errorf("the other side answers %q: %w", line, err)
	}
	for _, form := range []struct {
		text *string
		kind answerKind
	}{{wire.Want, rendered}, {wire.Error, failed}, {wire.Refused, refused}} {
		if form.text != nil {
			raw, err := hex.DecodeString(*form.text)
			return caseAnswer{string(raw), form.kind}, err
		}
	}
	return caseAnswer{}, fmt.Errorf("the other side answers %q: neither want nor error nor refused", line)
}
