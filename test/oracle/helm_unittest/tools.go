// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package helmunittest names the program that judges test suites, built from its module.
package helmunittest

import _ "github.com/helm-unittest/helm-unittest/cmd/helm-unittest"
