// SPDX-License-Identifier: Apache-2.0

package integrations

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

const (
	healthKey  = "resource.customizations.health." + group + "_" + kind
	actionsKey = "resource.customizations.actions." + group + "_" + kind
)

// installed returns argocd-cm as kustomize makes it of one with an address and of deploy/integrations/argocd.
func installed(t *testing.T, argocdCM string) corev1.ConfigMap {
	t.Helper()
	files := filesys.MakeFsInMemory()
	write := func(path string, text []byte) {
		if err := files.WriteFile(path, text); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"kustomization.yaml", "health.lua", "actions.yaml"} {
		write("/fleet/argocd/"+name, shipped(t, filepath.Join("argocd", name)))
	}
	write("/fleet/install.yaml", []byte(argocdCM))
	write("/fleet/kustomization.yaml", []byte("namespace: argocd\nresources: [install.yaml]\ncomponents: [argocd]\n"))
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/fleet")
	if err != nil {
		t.Fatal(err)
	}
	text, err := made.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	var config corev1.ConfigMap
	if err := yaml.UnmarshalStrict(text, &config); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return config
}

const bareCM = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm}\n"

// actions returns the actions of the installed argocd-cm.
func actions(t *testing.T) argoActions {
	t.Helper()
	var found argoActions
	if err := yaml.UnmarshalStrict([]byte(installed(t, bareCM).Data[actionsKey]), &found); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestTheComponentAddsToArgocdCMAndLeavesWhatIsThere(t *testing.T) {
	config := installed(t, `apiVersion: v1
kind: ConfigMap
metadata:
  name: argocd-cm
  labels: {app.kubernetes.io/part-of: argocd}
data:
  url: https://argocd.example.com
  resource.customizations.health.example.org_Other: return {status = "Healthy"}
`)
	if config.Name != "argocd-cm" || config.Namespace != "argocd" || config.Labels["app.kubernetes.io/part-of"] != "argocd" {
		t.Errorf("metadata: %v", config.ObjectMeta)
	}
	if config.Data["url"] != "https://argocd.example.com" || len(config.Data) != 4 {
		t.Errorf("data: %v", config.Data)
	}
	if config.Data[healthKey] != string(shipped(t, "argocd/health.lua")) {
		t.Error("another health check")
	}
}

func TestTheHealthCheckForAllKindsOfAGroupIsTheSame(t *testing.T) {
	var config corev1.ConfigMap
	if err := yaml.UnmarshalStrict(shipped(t, "argocd/all-kinds.yaml"), &config); err != nil {
		t.Fatal(err)
	}
	var all map[string]struct {
		Health string `json:"health.lua"`
	}
	if err := yaml.UnmarshalStrict([]byte(config.Data["resource.customizations"]), &all); err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || all[group+"/*"].Health != string(shipped(t, "argocd/health.lua")) {
		t.Error("it is not that of health.lua")
	}
}

func TestThePageShowsTheHealthChecks(t *testing.T) {
	page, err := os.ReadFile("../../docs/operate/gitops.md")
	if err != nil {
		t.Fatal(err)
	}
	script := string(shipped(t, "argocd/health.lua"))
	_, body, _ := strings.Cut(script, "\n")
	if !strings.Contains(string(page), "```lua\n"+body+"```\n") {
		t.Error("docs/operate/gitops.md has another script than argocd/health.lua")
	}
	kustomization := string(shipped(t, "flux/shops.yaml"))
	_, body, _ = strings.Cut(kustomization, "\nmetadata:")
	if !strings.Contains(string(page), "\nmetadata:"+body+"```\n") {
		t.Error("docs/operate/gitops.md has another Kustomization than flux/shops.yaml")
	}
}

func TestTheMessageOfAHealthIsThatOfTheConditionThatExplainsIt(t *testing.T) {
	script := installed(t, bareCM).Data[healthKey]
	for name, want := range map[string]string{
		"ready":                  "Ready",
		"stalled":                "Ready",
		"paused":                 "Paused",
		"stalled-beside-a-ready": "Irreconcilable",
	} {
		obj := recordings(t)[name].object(t)
		found, err := health(script, obj)
		if err != nil {
			t.Fatal(err)
		}
		if expected := messageOf(obj, want); expected == "" || found.Message != expected {
			t.Errorf("%s: %q, not %q", name, found.Message, expected)
		}
	}
}

// messageOf returns the message of a condition.
func messageOf(obj object, name string) string {
	for _, c := range obj["status"].(object)["conditions"].([]any) {
		if c.(object)["type"] == name {
			return c.(object)["message"].(string)
		}
	}
	return ""
}

// isTime is how the action writes a time.
var isTime = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`)

func TestActionsWriteTheAnnotationsOfTheCommandsAndNothingElse(t *testing.T) {
	all := actions(t)
	const paused, until = `"chartwright.io/paused"`, `"chartwright.io/paused-until"`
	const asked, rollback = `"chartwright.io/reconcile-requested-at"`, `"chartwright.io/rollback-to"`
	for _, c := range []struct {
		action      string
		params      map[string]string
		annotations string
		want        string
	}{
		{"pause", nil, `null`, `{` + paused + `:"in Argo CD"}`},
		{"pause", map[string]string{"reason": "incident 7"}, `{}`, `{` + paused + `:"incident 7"}`},
		{"pause", map[string]string{"reason": "false"}, `{"a":"b"}`, `{` + paused + `:"in Argo CD"}`},
		{"pause", nil, `{` + until + `:"2026-01-01T00:00:00Z"}`, `{` + paused + `:"in Argo CD",` + until + `:null}`},
		{"resume", nil, `{` + paused + `:"x"}`, `{` + paused + `:null}`},
		{"resume", nil, `{` + paused + `:"x",` + until + `:"y","a":"b"}`, `{` + paused + `:null,` + until + `:null}`},
		{"resume", nil, `null`, ``},
		{"reconcile", nil, `null`, `{` + asked + `:"TIME"}`},
		{"reconcile", nil, `{` + asked + `:"before"}`, `{` + asked + `:"TIME"}`},
		{"rollback", nil, `null`, `{` + rollback + `:"previous"}`},
		{"rollback", map[string]string{"revision": ""}, `null`, `{` + rollback + `:"previous"}`},
		{"rollback", map[string]string{"revision": "1"}, `{` + rollback + `:"previous"}`, `{` + rollback + `:"1"}`},
		{"end-rollback", nil, `{` + rollback + `:"1"}`, `{` + rollback + `:null}`},
		{"end-rollback", nil, `null`, ``},
	} {
		obj := withAnnotations(t, recordings(t)["upgraded"].object(t), c.annotations)
		made, err := all.run(c.action, obj, c.params)
		if err != nil {
			t.Errorf("%s: %v", c.action, err)
			continue
		}
		found := mergePatch(t, obj, made)
		if !sameJSON(t, timeless(t, found), patchOf(c.want)) {
			t.Errorf("%s of %s: %s", c.action, c.annotations, found)
		}
	}
}

func patchOf(annotations string) string {
	if annotations == "" {
		return "{}"
	}
	return `{"metadata":{"annotations":` + annotations + `}}`
}

func withAnnotations(t *testing.T, obj object, annotations string) object {
	t.Helper()
	metadata := obj["metadata"].(object)
	delete(metadata, "annotations")
	var wanted object
	if err := json.Unmarshal([]byte(annotations), &wanted); err != nil {
		t.Fatal(err)
	}
	if wanted != nil {
		metadata["annotations"] = wanted
	}
	// Shapes of which Lua has only one form.
	obj["spec"] = object{"none": object{}, "list": []any{}, "items": []any{object{"none": object{}}}, "large": int64(1) << 40}
	return obj
}

// mergePatch returns the request that Argo CD sends for an action.
func mergePatch(t *testing.T, before, after object) string {
	t.Helper()
	old, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	made, err := json.Marshal(after)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := jsonpatch.CreateMergePatch(old, made)
	if err != nil {
		t.Fatal(err)
	}
	return string(patch)
}

// timeless returns a patch with the word TIME for the time of a request.
func timeless(t *testing.T, patch string) string {
	t.Helper()
	var parsed struct {
		Metadata struct {
			Annotations map[string]*string `json:"annotations"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal([]byte(patch), &parsed); err != nil {
		t.Fatal(err)
	}
	if at := parsed.Metadata.Annotations["chartwright.io/reconcile-requested-at"]; at != nil && isTime.MatchString(*at) {
		return strings.Replace(patch, *at, "TIME", 1)
	}
	return patch
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	if !json.Valid([]byte(b)) {
		t.Fatalf("no JSON: %s", b)
	}
	return jsonpatch.Equal([]byte(a), []byte(b))
}

func TestARollbackThatCannotBeIsRefusedBeforeItIsAskedFor(t *testing.T) {
	all := actions(t)
	upgraded, fresh := recordings(t)["upgraded"], recordings(t)["ready"]
	for _, c := range []struct {
		of          recording
		revision    string
		annotations string
		want        string
	}{
		{upgraded, "9", `null`, "no revision 9; the history has 2, 1"},
		{upgraded, "last", `null`, "no revision last; the history has 2, 1"},
		{fresh, "", `null`, "no revision previous; the history has 1"},
		{upgraded, "", `{"chartwright.io/rollback-to":"previous"}`, "asked for already"},
		{upgraded, "1", `{"chartwright.io/rollback-to":"1"}`, "asked for already"},
	} {
		obj := withAnnotations(t, c.of.object(t), c.annotations)
		_, err := all.run("rollback", obj, map[string]string{"revision": c.revision})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.revision, err)
		}
	}
	if _, err := all.run("rollback", shop(t, `null`), nil); err == nil {
		t.Error("without a status")
	}
}

func TestActionsAreOfferedWhereTheyHaveAnEffect(t *testing.T) {
	all := actions(t)
	usual := []string{"pause", "reconcile"}
	for name, want := range map[string][]string{
		"unseen":               usual,
		"ready":                usual,
		"upgraded":             {"pause", "reconcile", "rollback"},
		"paused":               {"reconcile", "resume"},
		"rolled-back":          {"end-rollback", "pause", "reconcile", "rollback"},
		"rollback-refused":     {"end-rollback", "pause", "reconcile"},
		"paused-before-a-look": {"reconcile", "resume"},
	} {
		offered, err := all.discover(recordings(t)[name].object(t))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(offered) != len(all.Definitions) {
			t.Errorf("%s: %d actions for %d definitions", name, len(offered), len(all.Definitions))
		}
		var enabled []string
		for action, about := range offered {
			if !about.Disabled {
				enabled = append(enabled, action)
			}
		}
		slices.Sort(enabled)
		if !slices.Equal(enabled, want) {
			t.Errorf("%s: %v, not %v", name, enabled, want)
		}
	}
	offered, err := all.discover(recordings(t)["ready"].object(t))
	if err != nil || offered["rollback"].Params[0].Name != "revision" || offered["pause"].Params[0].Name != "reason" {
		t.Errorf("parameters: %v, %v", offered, err)
	}
}

func TestActionsBearHostileStatuses(t *testing.T) {
	all := actions(t)
	for _, status := range hostileStatuses {
		obj := shop(t, status)
		if _, err := all.discover(obj); err != nil {
			t.Errorf("%s: %v", status, err)
		}
		for _, definition := range all.Definitions {
			made, err := all.run(definition.Name, obj, nil)
			if definition.Name != "rollback" && err != nil {
				t.Errorf("%s of %s: %v", definition.Name, status, err)
			}
			if err == nil && !strings.HasPrefix(strings.TrimPrefix(mergePatch(t, obj, made), `{"metadata":{"annotations":`), `{`) {
				t.Errorf("%s of %s", definition.Name, status)
			}
		}
	}
}
