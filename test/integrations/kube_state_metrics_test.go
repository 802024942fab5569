// SPDX-License-Identifier: Apache-2.0

package integrations

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/klog/v2"
	"k8s.io/kube-state-metrics/v2/pkg/customresource"
	"k8s.io/kube-state-metrics/v2/pkg/customresourcestate"
)

func init() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
}

// stateMetrics returns what kube-state-metrics makes of its configuration where the CRDs of these kinds are installed: a map
// of groups of maps of versions.
func stateMetrics(t *testing.T, installed string) []customresource.RegistryFactory {
	t.Helper()
	// The type of what has found the CRDs is internal.
	from := reflect.ValueOf(customresourcestate.FromConfig)
	discoverer := reflect.New(from.Type().In(1).Elem())
	if err := json.Unmarshal([]byte(installed), discoverer.Elem().FieldByName("Map").Addr().Interface()); err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(shipped(t, "kube-state-metrics/config.yaml")))
	results := from.Call([]reflect.Value{reflect.ValueOf(decoder), discoverer})
	if err, _ := results[1].Interface().(error); err != nil {
		t.Fatal(err)
	}
	factories, err := results[0].Interface().(func() ([]customresource.RegistryFactory, error))()
	if err != nil {
		t.Fatal(err)
	}
	return factories
}

const shopsInstalled = `{"example.com":{"v1alpha1":[{"Kind":"Shop","Plural":"shops"}]}}`

// sample is a line of an exposition.
type sample struct {
	name   string
	labels map[string]string
	value  string
}

var (
	lineForm  = regexp.MustCompile(`^(\w+)\{(.*)\} (\S+)$`)
	labelForm = regexp.MustCompile(`(\w+)="((?:[^"\\]|\\.)*)"`)
)

func parseSample(t *testing.T, line string) sample {
	t.Helper()
	parts := lineForm.FindStringSubmatch(line)
	if parts == nil {
		t.Fatalf("no sample: %s", line)
	}
	found := sample{parts[1], map[string]string{}, parts[3]}
	for _, label := range labelForm.FindAllStringSubmatch(parts[2], -1) {
		found.labels[label[1]] = label[2]
	}
	return found
}

// samplesOf returns the series that kube-state-metrics has for an object.
func samplesOf(t *testing.T, obj object) []sample {
	t.Helper()
	var found []sample
	for _, factory := range stateMetrics(t, shopsInstalled) {
		for _, family := range factory.MetricFamilyGenerators() {
			text := family.Generate(&unstructured.Unstructured{Object: obj}).ByteSlice()
			for line := range strings.Lines(string(text)) {
				found = append(found, parseSample(t, strings.TrimSpace(line)))
			}
		}
	}
	return found
}

func TestEachFieldOfTheConfigurationIsKnown(t *testing.T) {
	var read struct {
		Kind                        string `yaml:"kind"`
		customresourcestate.Metrics `yaml:",inline"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(shipped(t, "kube-state-metrics/config.yaml")))
	decoder.KnownFields(true)
	if err := decoder.Decode(&read); err != nil || read.Kind != "CustomResourceStateMetrics" {
		t.Errorf("%s: %v", read.Kind, err)
	}
}

func TestAllKindsOfTheGroupHaveSeries(t *testing.T) {
	two := stateMetrics(t, `{"example.com":{"v1alpha1":[{"Kind":"Shop","Plural":"shops"},{"Kind":"Till","Plural":"tills"}]},
		"example.org":{"v1alpha1":[{"Kind":"Other","Plural":"others"}]}}`)
	var names []string
	for _, factory := range two {
		names = append(names, factory.Name())
	}
	if !slices.Equal(names, []string{"shops", "tills"}) {
		t.Errorf("%v", names)
	}
}

// meaning turns the labels that only kube-state-metrics has into those of the operator.
func meaning(labels map[string]string) map[string]string {
	found := maps.Clone(labels)
	found["group"], found["kind"] = found["customresource_group"], found["customresource_kind"]
	for _, name := range []string{"contested", "irreconcilable", "paused", "release_failed", "rolled_back", "stalled"} {
		found[name] = map[string]string{"True": "true", "False": "false"}[found[name]]
	}
	found["failed"] = "false"
	if found["irreconcilable"] == "true" || found["release_failed"] == "true" {
		found["failed"] = "true"
	}
	for _, name := range []string{"irreconcilable", "release_failed", "customresource_group", "customresource_kind", "customresource_version"} {
		delete(found, name)
	}
	return found
}

// ours returns a series of the operator's /metrics about a recorded state.
func ours(t *testing.T, of recording, name string) sample {
	t.Helper()
	for _, line := range of.Metrics {
		if strings.HasPrefix(line, name+"{") {
			found := parseSample(t, line)
			found.labels["group"], found.labels["kind"] = group, kind
			return found
		}
	}
	t.Fatalf("no %s in %v", name, of.Metrics)
	return sample{}
}

func TestTheSeriesSayWhatThoseOfTheOperatorSay(t *testing.T) {
	for name, recorded := range recordings(t) {
		if len(recorded.Metrics) == 0 {
			continue
		}
		conditions := map[string]string{}
		for _, found := range samplesOf(t, recorded.object(t)) {
			switch found.name {
			case "chartwright_resource_info":
				want := ours(t, recorded, "chartwright_cr_info").labels
				if !maps.Equal(meaning(found.labels), want) {
					t.Errorf("%s: %v, not %v", name, meaning(found.labels), want)
				}
			case "chartwright_resource_ready":
				// There is no number for what is not known.
				want := strings.Replace(ours(t, recorded, "chartwright_cr_ready").value, "-1", "0", 1)
				if found.value != want {
					t.Errorf("%s: ready is %s, not %s", name, found.value, want)
				}
			case "chartwright_resource_condition":
				conditions[found.labels["condition"]] = found.labels["status"]
				if (found.labels["status"] == "True") != (found.value == "1") || found.labels["reason"] == "" {
					t.Errorf("%s: %v", name, found)
				}
			default:
				t.Errorf("%s: %v", name, found)
			}
		}
		if !maps.Equal(conditions, statusesOf(recorded.object(t))) {
			t.Errorf("%s: %v", name, conditions)
		}
	}
}

// statusesOf returns the statuses of all conditions by their types.
func statusesOf(obj object) map[string]string {
	found := map[string]string{}
	for _, c := range obj["status"].(object)["conditions"].([]any) {
		found[c.(object)["type"].(string)] = c.(object)["status"].(string)
	}
	return found
}

func TestACustomResourceWithoutAStatusHasItsInformation(t *testing.T) {
	found := samplesOf(t, recordings(t)["unseen"].object(t))
	if len(found) != 2 || found[0].labels["revision"] != "0" || found[0].labels["stalled"] != "False" || found[1].value != "0" {
		t.Errorf("%v", found)
	}
}

func TestHostileStatusesHaveOneSeriesOfEachName(t *testing.T) {
	for _, text := range hostileStatuses {
		counts := map[string]int{}
		for _, found := range samplesOf(t, shop(t, text)) {
			counts[found.name]++
			if found.labels["name"] != "one" || found.labels["namespace"] != "team" {
				t.Errorf("%s: %v", text, found)
			}
		}
		if counts["chartwright_resource_info"] != 1 || counts["chartwright_resource_ready"] > 1 {
			t.Errorf("%s: %v", text, counts)
		}
	}
}
