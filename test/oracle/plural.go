// SPDX-License-Identifier: Apache-2.0

//go:build !helm4

package main

import (
	"fmt"
	"strings"

	"github.com/gobuffalo/flect"
	"k8s.io/apimachinery/pkg/util/validation"
)

func init() {
	engines["plural"] = engineSpec{[]string{"github.com/gobuffalo/flect"}, map[string]bool{"kinds": true}, answerPlural}
}

// answerPlural adds the plural of each kind, one a line, as kubebuilder's RegularPlural has it. A kind that operator-sdk
// refuses, because its plural is no name, is an error.
func answerPlural(c *testCase) error {
	kinds, _ := c.get("kinds")
	var want strings.Builder
	for _, kind := range strings.Fields(kinds) {
		plural := flect.Pluralize(strings.ToLower(kind))
		if len(validation.IsDNS1035Label(plural)) != 0 {
			return fmt.Errorf("operator-sdk refuses the plural %q of %q", plural, kind)
		}
		want.WriteString(plural + "\n")
	}
	c.add("want", want.String())
	return nil
}
