// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"sync"
	"time"
)

// Fault tells how the server misbehaves on some of its calls.
type Fault struct {
	Match      string  `json:"match"`      // Begins the calls that it is for: "POST /pets", "AddPets".
	Times      int     `json:"times"`      // How often; 0: for ever.
	Kind       string  `json:"kind"`       // slow, drop, cut, status, huge, trickle
	Acts       bool    `json:"acts"`       // The call takes effect nevertheless; for slow: before the pause.
	Seconds    float64 `json:"seconds"`    // For slow and trickle.
	Status     int     `json:"status"`     // For status: of HTTP, or a code of gRPC.
	RetryAfter string  `json:"retryAfter"` // For status: a header.
	Location   string  `json:"location"`   // The same.
	Body       string  `json:"body"`       // For status; {authorization} is what the client sent.
	Megabytes  int     `json:"megabytes"`  // For huge.
}

func (f *Fault) pause() { time.Sleep(time.Duration(f.Seconds * float64(time.Second))) }

// Call is a call that the server got.
type Call struct {
	What          string `json:"what"`
	Connection    int64  `json:"connection"`
	Authorization string `json:"authorization,omitempty"`
	Key           string `json:"key,omitempty"`
	Client        string `json:"client,omitempty"` // Common name of the client certificate.
	Effect        string `json:"effect,omitempty"`
}

// Journal has the faults to come and the calls that were made. It is safe for concurrent use.
type Journal struct {
	mutex  sync.Mutex
	faults []*Fault
	calls  []Call
}

// Note records a call and returns the fault that it meets, or nil.
func (j *Journal) Note(call Call) *Fault {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	j.calls = append(j.calls, call)
	for i, fault := range j.faults {
		if !strings.HasPrefix(call.What, fault.Match) {
			continue
		}
		if fault.Times > 0 {
			if fault.Times--; fault.Times == 0 {
				j.faults = append(j.faults[:i:i], j.faults[i+1:]...)
			}
		}
		return fault
	}
	return nil
}

// Plan replaces the faults.
func (j *Journal) Plan(faults []*Fault) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	j.faults = faults
}

// Calls returns the calls so far.
func (j *Journal) Calls() []Call {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return append([]Call{}, j.calls...)
}
