// SPDX-License-Identifier: Apache-2.0

// Command floor sends API requests whose bodies are ready, as fast as an API server takes them: what remains
// of an operator's work when it computes nothing. Requests come in chains; those of one chain follow each
// other, chains run side by side over one HTTP/2 connection.
//
// It reads a Job as JSON on stdin and writes a Report as JSON on stdout. Exit code 1 if any request failed.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"
)

// Job says where to send what.
type Job struct {
	Server      string      `json:"server"`
	CA          string      `json:"ca"`          // PEM
	Certificate string      `json:"certificate"` // PEM
	Key         string      `json:"key"`         // PEM
	UserAgent   string      `json:"userAgent"`
	Concurrency int         `json:"concurrency"` // chains side by side
	Chains      [][]Request `json:"chains"`
}

// Request is one call; Path includes the query.
type Request struct {
	Method      string          `json:"method"`
	Path        string          `json:"path"`
	ContentType string          `json:"contentType"`
	Body        json.RawMessage `json:"body"`
}

// Report is the outcome: time and CPU time of the process from the first request to the last reply.
type Report struct {
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpu_seconds"`
	Requests   int     `json:"requests"`
	Protocol   string  `json:"protocol"`
}

const (
	requestTimeout = 30 * time.Second
	errorBytesMax  = 1000
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var job Job
	if err := json.NewDecoder(in).Decode(&job); err != nil {
		return fmt.Errorf("read job: %w", err)
	}
	if job.Concurrency < 1 {
		return errors.New("concurrency: want at least 1")
	}
	client, err := newClient(&job)
	if err != nil {
		return err
	}
	sender := &sender{job: &job, client: client}
	// The connection is set up outside the measured time, as an operator's is.
	if err := sender.send(&Request{Method: http.MethodGet, Path: "/version"}); err != nil {
		return err
	}
	report, err := sender.replay()
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(report)
}

func newClient(job *Job) (*http.Client, error) {
	certificate, err := tls.X509KeyPair([]byte(job.Certificate), []byte(job.Key))
	if err != nil {
		return nil, fmt.Errorf("client certificate: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(job.CA)) {
		return nil, errors.New("ca: no certificate in it")
	}
	transport := &http.Transport{
		ForceAttemptHTTP2: true,
		TLSClientConfig:   &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{certificate}},
	}
	return &http.Client{Transport: transport, Timeout: requestTimeout}, nil
}

type sender struct {
	job      *Job
	client   *http.Client
	protocol string
}

// replay sends all chains and reports, or returns what went wrong in any of them.
func (s *sender) replay() (*Report, error) {
	chains := make(chan []Request)
	failures := make(chan error, len(s.job.Chains))
	var workers sync.WaitGroup
	started, used := time.Now(), cpuTime()
	for range s.job.Concurrency {
		workers.Go(func() {
			for chain := range chains {
				failures <- s.sendChain(chain)
			}
		})
	}
	requests := 0
	for _, chain := range s.job.Chains {
		chains <- chain
		requests += len(chain)
	}
	close(chains)
	workers.Wait()
	seconds, cpu := time.Since(started).Seconds(), cpuTime()-used
	close(failures)
	var all []error
	for err := range failures {
		all = append(all, err)
	}
	report := &Report{Seconds: seconds, CPUSeconds: cpu.Seconds(), Requests: requests, Protocol: s.protocol}
	return report, errors.Join(all...)
}

// cpuTime returns the CPU time that the process has used, in user and kernel mode.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	// Getrusage fails only for an unknown target or a bad pointer.
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func (s *sender) sendChain(chain []Request) error {
	for i := range chain {
		if err := s.send(&chain[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *sender) send(r *Request) error {
	request, err := http.NewRequest(r.Method, s.job.Server+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", s.job.UserAgent)
	request.Header.Set("Accept", "application/json")
	if r.ContentType != "" {
		request.Header.Set("Content-Type", r.ContentType)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if r.Path == "/version" {
		s.protocol = response.Proto
	}
	if response.StatusCode >= 300 {
		text, _ := io.ReadAll(io.LimitReader(response.Body, errorBytesMax))
		return fmt.Errorf("%s %s: %s: %s", r.Method, r.Path, response.Status, text)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}
