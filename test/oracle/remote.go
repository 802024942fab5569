// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
)

// remoteDocument is an answer of the network: the text of a section "remote URL [STATUS [LOCATION]]".
type remoteDocument struct {
	status   int
	location string
	text     string
}

// network answers requests for http URLs from the sections of the current case, as a proxy on a loopback port does.
// Nothing leaves the machine, and the names in the URLs need not exist.
type network struct {
	once      sync.Once
	mutex     sync.Mutex
	documents map[string]remoteDocument
}

var cases network

// serve replaces the documents. The first call makes the network the proxy of this process.
func (n *network) serve(c *testCase) error {
	documents := map[string]remoteDocument{}
	for _, s := range c.Sections {
		if s.Name != "remote" {
			continue
		}
		url, document, err := readRemote(s)
		if err != nil {
			return err
		}
		documents[url] = document
	}
	n.mutex.Lock()
	n.documents = documents
	n.mutex.Unlock()
	var err error
	n.once.Do(func() { err = n.listen() })
	return err
}

func readRemote(s section) (string, remoteDocument, error) {
	words := strings.Fields(s.Arg)
	if len(words) == 0 || len(words) > 3 {
		return "", remoteDocument{}, fmt.Errorf("want \"--- remote URL [STATUS [LOCATION]]\", got %q", s.Arg)
	}
	document := remoteDocument{status: http.StatusOK, text: s.Text}
	if len(words) > 1 {
		status, err := strconv.Atoi(words[1])
		if err != nil {
			return "", document, err
		}
		document.status = status
	}
	if len(words) > 2 {
		document.location = words[2]
	}
	return words[0], document, nil
}

func (n *network) listen() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "http_proxy"} {
		os.Unsetenv(name)
	}
	os.Setenv("HTTP_PROXY", "http://"+listener.Addr().String())
	go http.Serve(listener, n)
	return nil
}

func (n *network) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mutex.Lock()
	document, ok := n.documents[r.URL.String()]
	n.mutex.Unlock()
	if !ok {
		document.status = http.StatusNotFound
	}
	if document.location != "" {
		w.Header().Set("Location", document.location)
	}
	w.WriteHeader(document.status)
	io.WriteString(w, document.text)
}
