// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package helmoperator names the program that the tests build from its module.
package helmoperator

import _ "github.com/operator-framework/operator-sdk/cmd/helm-operator"
