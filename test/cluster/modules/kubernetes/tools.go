// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package tools names the commands that the local control plane is built from, so that
// `go mod tidy` keeps their requirements and `go.sum` pins every source that is compiled.
package tools

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
