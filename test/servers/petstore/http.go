// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
)

type connectionKey struct{}

var connections atomic.Int64

func numbered(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, connections.Add(1))
}

// API serves the store as JSON over HTTP, as well as the faults allow.
type API struct {
	store         *Store
	journal       *Journal
	authorization string // Required value of the header; empty: none.
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if body != nil {
		json.NewEncoder(w).Encode(body)
	}
}

func refuse(w http.ResponseWriter, status int, why string) {
	reply(w, status, map[string]string{"error": why})
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call := Call{
		What:          r.Method + " " + r.URL.Path,
		Connection:    r.Context().Value(connectionKey{}).(int64),
		Authorization: r.Header.Get("Authorization"),
		Key:           r.Header.Get("Idempotency-Key"),
	}
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		call.Client = r.TLS.PeerCertificates[0].Subject.CommonName
	}
	fault := a.journal.Note(call)
	if fault == nil {
		a.serve(w, r)
		return
	}
	if fault.Kind == "slow" && fault.Acts {
		a.serve(w, r) // The reply leaves when we return.
		fault.pause()
		return
	}
	if fault.Kind == "slow" {
		fault.pause()
		a.serve(w, r)
		return
	}
	if fault.Acts {
		a.serve(discard{}, r)
	}
	misbehave(w, r, fault)
}

func (a *API) serve(w http.ResponseWriter, r *http.Request) {
	if a.authorization != "" && r.Header.Get("Authorization") != a.authorization {
		refuse(w, http.StatusUnauthorized, "who are you?")
		return
	}
	id, one := strings.CutPrefix(r.URL.Path, "/pets/")
	switch {
	case r.URL.Path == "/pets" && r.Method == http.MethodGet:
		reply(w, http.StatusOK, map[string]any{"pets": a.store.All()})
	case r.URL.Path == "/pets" && r.Method == http.MethodPost:
		a.add(w, r)
	case one && r.Method == http.MethodGet:
		if pet, found := a.store.Get(id); found {
			reply(w, http.StatusOK, pet)
		} else {
			refuse(w, http.StatusNotFound, "no such pet")
		}
	case one && r.Method == http.MethodPut:
		a.update(w, r, id)
	case one && r.Method == http.MethodDelete:
		if a.store.Delete(id) {
			reply(w, http.StatusNoContent, nil)
		} else {
			refuse(w, http.StatusNotFound, "no such pet")
		}
	default:
		http.NotFound(w, r)
	}
}

func (a *API) add(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Pets []Pet `json:"pets"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	ids, err := a.store.Add(body.Pets)
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	reply(w, http.StatusCreated, map[string]any{"ids": ids})
}

func (a *API) update(w http.ResponseWriter, r *http.Request, id string) {
	var pet Pet
	if err := json.NewDecoder(r.Body).Decode(&pet); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	pet.ID = id
	found, err := a.store.Update(pet)
	switch {
	case err != nil:
		refuse(w, http.StatusUnprocessableEntity, err.Error())
	case !found:
		refuse(w, http.StatusNotFound, "no such pet")
	default:
		reply(w, http.StatusOK, pet)
	}
}

// discard is a response that nobody gets.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}

func misbehave(w http.ResponseWriter, r *http.Request, fault *Fault) {
	switch fault.Kind {
	case "drop", "cut":
		connection, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if fault.Kind == "cut" {
			fmt.Fprint(connection, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"pets\": [")
		}
		connection.Close()
	case "trickle":
		w.Header().Set("Content-Type", "application/json")
		for {
			if _, err := w.Write([]byte(" ")); err != nil || r.Context().Err() != nil {
				return
			}
			w.(http.Flusher).Flush()
			fault.pause()
		}
	case "huge":
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"pets": [`))
		part := strings.Repeat(" ", 1<<20)
		for i := 0; i < fault.Megabytes; i++ {
			if _, err := w.Write([]byte(part)); err != nil {
				return
			}
		}
		w.Write([]byte(`]}`))
	default:
		if fault.RetryAfter != "" {
			w.Header().Set("Retry-After", fault.RetryAfter)
		}
		if fault.Location != "" {
			w.Header().Set("Location", fault.Location)
		}
		w.WriteHeader(fault.Status)
		w.Write([]byte(strings.ReplaceAll(fault.Body, "{authorization}", r.Header.Get("Authorization"))))
	}
}

// Control serves what tests do with the server: plan faults, read calls, look into the store.
type Control struct {
	store   *Store
	journal *Journal
}

func (c *Control) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method + " " + r.URL.Path {
	case "PUT /faults":
		var faults []*Fault
		if err := json.NewDecoder(r.Body).Decode(&faults); err != nil {
			refuse(w, http.StatusBadRequest, err.Error())
			return
		}
		c.journal.Plan(faults)
		reply(w, http.StatusOK, faults)
	case "GET /calls":
		reply(w, http.StatusOK, c.journal.Calls())
	case "GET /pets":
		reply(w, http.StatusOK, c.store.All())
	case "POST /pets":
		var pets []Pet
		if err := json.NewDecoder(r.Body).Decode(&pets); err != nil {
			refuse(w, http.StatusBadRequest, err.Error())
			return
		}
		ids, err := c.store.Add(pets)
		if err != nil {
			refuse(w, http.StatusUnprocessableEntity, err.Error())
			return
		}
		reply(w, http.StatusOK, ids)
	case "DELETE /pets":
		c.store.Clear()
		reply(w, http.StatusOK, nil)
	default:
		http.NotFound(w, r)
	}
}
