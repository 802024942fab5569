// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package tools names the command that is built here, so that `go mod tidy` keeps its
// requirements and `go.sum` pins every source that is compiled.
package tools

import _ "sigs.k8s.io/kwok/cmd/kwok"
