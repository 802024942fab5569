// SPDX-License-Identifier: Apache-2.0

// Package integrations asks the tools that deploy/integrations is for what they make of it.
package integrations

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubejson "k8s.io/apimachinery/pkg/util/json"
)

// The group, version and kind of the files in deploy/integrations.
const (
	group   = "example.com"
	version = "v1alpha1"
	kind    = "Shop"
	plural  = "shops"
)

type object = map[string]any

// recording is a custom resource in a state that the operator has brought it to, and what /metrics said of it then.
type recording struct {
	Object  json.RawMessage `json:"object"`
	Metrics []string        `json:"metrics"`
}

// recordings returns what test/e2e/test_integrations.py has recorded, by the name of the state.
func recordings(t *testing.T) map[string]recording {
	t.Helper()
	text, err := os.ReadFile("recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]recording
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// states returns the names of the recordings in order.
func states(all map[string]recording) []string { return slices.Sorted(maps.Keys(all)) }

// object returns the custom resource as one of the kind in deploy/integrations, with numbers as the tools read them.
func (r recording) object(t *testing.T) object {
	t.Helper()
	return parse(t, string(r.Object))
}

// parse reads an object, and gives it the kind of deploy/integrations.
func parse(t *testing.T, text string) object {
	t.Helper()
	var made object
	if err := kubejson.Unmarshal([]byte(text), &made); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	made["apiVersion"] = group + "/" + version
	made["kind"] = kind
	return made
}

// shop returns a custom resource with that status, which is JSON, and generation 1.
func shop(t *testing.T, status string) object {
	t.Helper()
	return parse(t, `{"metadata":{"name":"one","namespace":"team","generation":1},"spec":{},"status":`+status+`}`)
}

// withConditions returns a copy of an object with more conditions.
func withConditions(o object, more ...object) object {
	made := (&unstructured.Unstructured{Object: o}).DeepCopy().Object
	status := made["status"].(object)
	conditions, _ := status["conditions"].([]any)
	for _, condition := range more {
		conditions = append(conditions, condition)
	}
	status["conditions"] = conditions
	return made
}

// withoutConditions returns a copy of an object without the conditions of these types.
func withoutConditions(o object, types ...string) object {
	made := (&unstructured.Unstructured{Object: o}).DeepCopy().Object
	status := made["status"].(object)
	status["conditions"] = slices.DeleteFunc(status["conditions"].([]any), func(c any) bool {
		return slices.Contains(types, c.(object)["type"].(string))
	})
	return made
}

func condition(name, status, reason string) object {
	return object{"type": name, "status": status, "reason": reason, "message": "words of " + name}
}

// shipped returns the content of a file in deploy/integrations.
func shipped(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "integrations", path))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
