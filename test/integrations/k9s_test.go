// SPDX-License-Identifier: Apache-2.0

package integrations

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/yaml"
)

// The module of k9s is read, not compiled: its packages are internal.
const k9sModule = "github.com/derailed/k9s@v0.50.16"

// k9sFolder returns the folder with the sources of k9s.
func k9sFolder(t *testing.T) string {
	t.Helper()
	text, err := exec.Command("go", "mod", "download", "-json", k9sModule).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var about struct{ Dir string }
	if err := json.Unmarshal(text, &about); err != nil {
		t.Fatal(err)
	}
	return about.Dir
}

// checkForm checks a file by a schema of k9s, and returns its content.
func checkForm(t *testing.T, path, schema string, into any) {
	t.Helper()
	compiled, err := jsonschema.NewCompiler().Compile(filepath.Join(k9sFolder(t), "internal/config/json/schemas", schema))
	if err != nil {
		t.Fatal(err)
	}
	text, err := yaml.YAMLToJSON(shipped(t, path))
	if err != nil {
		t.Fatal(err)
	}
	read, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(read); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

type k9sPlugin struct {
	ShortCut  string
	Scopes    []string
	Command   string
	Confirm   bool
	Dangerous bool
	Args      []string
}

// k9sPlugins returns the shipped plugins by name.
func k9sPlugins(t *testing.T) map[string]k9sPlugin {
	t.Helper()
	var file struct{ Plugins map[string]k9sPlugin }
	checkForm(t, "k9s/plugins.yaml", "plugins.json", &file)
	return file.Plugins
}

func TestEachPluginHasAKeyOfItsOwnWhichK9sDoesNotUse(t *testing.T) {
	taken := map[string]string{}
	for _, name := range []string{"browser.go", "table.go", "owner_extender.go"} {
		text, err := os.ReadFile(filepath.Join(k9sFolder(t), "internal/view", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range regexp.MustCompile(`\bui\.KeyShift([A-Z])\b`).FindAllStringSubmatch(string(text), -1) {
			taken["Shift-"+key[1]] = name
		}
	}
	if len(taken) < 3 {
		t.Fatalf("the keys of k9s were not found: %v", taken)
	}
	for name, plugin := range k9sPlugins(t) {
		if other, ok := taken[plugin.ShortCut]; ok || !strings.HasPrefix(plugin.ShortCut, "Shift-") {
			t.Errorf("%s: %s is that of %s", name, plugin.ShortCut, other)
		}
		taken[plugin.ShortCut] = name
		if !slices.Equal(plugin.Scopes, []string{plural}) {
			t.Errorf("%s: %v", name, plugin.Scopes)
		}
	}
}

func TestAPluginThatWritesIsMarkedAsDangerous(t *testing.T) {
	reading := []string{"chartwright-why", "chartwright-tree", "chartwright-history"}
	for name, plugin := range k9sPlugins(t) {
		if plugin.Dangerous == slices.Contains(reading, name) {
			t.Errorf("%s: dangerous is %v", name, plugin.Dangerous)
		}
	}
}

func TestPluginsUseOnlyVariablesThatK9sHas(t *testing.T) {
	known := []string{"RESOURCE_GROUP", "RESOURCE_NAME", "NAMESPACE", "NAME", "CONTEXT"}
	readme, err := os.ReadFile(filepath.Join(k9sFolder(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range known {
		if !strings.Contains(string(readme), "* `$"+name+"` ") {
			t.Errorf("k9s has no $%s", name)
		}
	}
	for name, plugin := range k9sPlugins(t) {
		for _, arg := range plugin.Args {
			for _, found := range regexp.MustCompile(`\$([\w-]+)`).FindAllStringSubmatch(arg, -1) {
				if !slices.Contains(known, found[1]) {
					t.Errorf("%s: $%s", name, found[1])
				}
			}
			if plugin.Command == "sh" && strings.Contains(arg, "chartwright ") && strings.Contains(arg, "$RESOURCE") {
				t.Errorf("%s: a name becomes part of a script", name)
			}
		}
	}
}

// columnForm is how k9s takes a column apart: name, expression, attributes.
var columnForm = regexp.MustCompile(`^([\w\s%/-]+):?([\w\W]*?)\|?([NTWSLRH]{0,3})$`)

func TestTheColumnsShowWhatAStatusHas(t *testing.T) {
	var file struct {
		Views map[string]struct{ Columns []string }
	}
	checkForm(t, "k9s/views.yaml", "views.json", &file)
	source, err := os.ReadFile(filepath.Join(k9sFolder(t), "internal/render/cust_col.go"))
	if err != nil || !strings.Contains(string(source), "`"+columnForm.String()+"`") {
		t.Errorf("k9s takes columns apart in another way: %v", err)
	}
	view, ok := file.Views[group+"/"+version+"/"+plural]
	if !ok || len(file.Views) != 1 {
		t.Fatalf("views: %v", file.Views)
	}
	shown := map[string]string{}
	paused := recordings(t)["paused"].object(t)
	for _, column := range view.Columns {
		parts := columnForm.FindStringSubmatch(column)
		if parts == nil {
			t.Fatalf("no column: %s", column)
		}
		if parts[2] == "" {
			continue
		}
		path := jsonpath.New(column)
		if err := path.Parse("{" + parts[2] + "}"); err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := path.Execute(&text, paused); err != nil {
			t.Fatal(err)
		}
		shown[parts[1]] = text.String()
	}
	if shown["READY"] != "True" || shown["REASON"] != "Paused" || shown["REV"] != "1" || shown["PAUSED"] != messageOf(paused, "Paused") {
		t.Errorf("%v", shown)
	}
}
