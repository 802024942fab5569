// SPDX-License-Identifier: Apache-2.0

//go:build !helm4 && !helm318

package main

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/yaml"
)

func init() {
	engines["kstatus"] = engineSpec{
		[]string{"sigs.k8s.io/cli-utils"}, map[string]bool{"object": true, "want": true, "why": true}, answerKstatus,
	}
}

// answerKstatus adds what kstatus says of the object, behind the object. The sections want and why are ours.
func answerKstatus(c *testCase) error {
	text, _ := c.get("object")
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return err
	}
	var object map[string]any
	if err := kubejson.Unmarshal(raw, &object); err != nil {
		return err
	}
	c.Sections = slices.Insert(c.Sections, 1, section{Name: "kstatus", Text: kstatusOf(object) + "\n"})
	return nil
}

// kstatusOf returns "STATUS: message". Those who call kstatus treat an error as Unknown, and it panics on some malformed
// objects.
func kstatusOf(object map[string]any) (verdict string) {
	defer func() {
		if recover() != nil {
			verdict = string(status.UnknownStatus) + ": a panic"
		}
	}()
	result, err := status.Compute(&unstructured.Unstructured{Object: object})
	if err != nil {
		return fmt.Sprintf("%s: %s", status.UnknownStatus, err)
	}
	return strings.TrimSuffix(fmt.Sprintf("%s: %s", result.Status, result.Message), ": ")
}
