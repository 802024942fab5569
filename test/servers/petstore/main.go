// SPDX-License-Identifier: Apache-2.0

// Command petstore keeps pets in memory and serves them as JSON over HTTP and over gRPC. Tests plan
// its faults and look into its store through a third address.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

var (
	httpAddress    = flag.String("http", "", "address of JSON over HTTP")
	grpcAddress    = flag.String("grpc", "", "address of gRPC; empty: none")
	controlAddress = flag.String("control", "", "address for tests")
	descriptors    = flag.String("descriptors", "", "descriptor set of petstore.proto, for gRPC")
	certificate    = flag.String("cert", "", "certificate file; empty: no TLS")
	key            = flag.String("key", "", "its key")
	clientCA       = flag.String("client-ca", "", "CA file of the clients; empty: any client")
	authorization  = flag.String("authorization", "", "required Authorization header; empty: none")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "petstore:", err)
		os.Exit(1)
	}
}

func settings() (*tls.Config, error) {
	if *certificate == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(*certificate, *key)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}}
	if *clientCA != "" {
		text, err := os.ReadFile(*clientCA)
		if err != nil {
			return nil, err
		}
		config.ClientCAs = x509.NewCertPool()
		config.ClientCAs.AppendCertsFromPEM(text)
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return config, nil
}

func run() error {
	secure, err := settings()
	if err != nil {
		return err
	}
	store, journal := NewStore(), &Journal{}
	failed := make(chan error)
	serve := func(address string, config *tls.Config, handler http.Handler) {
		server := &http.Server{Addr: address, Handler: handler, ConnContext: numbered, TLSConfig: config}
		if config == nil {
			failed <- server.ListenAndServe()
		} else {
			failed <- server.ListenAndServeTLS("", "")
		}
	}
	if *grpcAddress != "" {
		remote, err := NewRemote(*descriptors, store, journal, *authorization)
		if err != nil {
			return err
		}
		var options []grpc.ServerOption
		if secure != nil {
			options = append(options, grpc.Creds(credentials.NewTLS(secure)))
		}
		listener, err := net.Listen("tcp", *grpcAddress)
		if err != nil {
			return err
		}
		go func() { failed <- remote.Server(options...).Serve(listener) }()
	}
	go serve(*httpAddress, secure, &API{store, journal, *authorization})
	go serve(*controlAddress, nil, &Control{store, journal})
	return <-failed
}
