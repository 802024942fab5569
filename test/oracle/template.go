// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"text/template"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// templateInputs are the sections that an author of a template case writes.
var templateInputs = map[string]bool{
	"template": true, "file": true, "values": true, "data": true, "flags": true, "remote": true,
	"help": true, // Nobody's input: what we say under Helm's error.
}

// mainTemplate is the chart path of a case's template section; caseChart is the name of its chart.
const (
	mainTemplate = "templates/case.yaml"
	caseChart    = "case"
)

// decodeInt64 decodes YAML as the Kubernetes API machinery decodes an object: integers stay int64.
func decodeInt64(text string) (any, error) {
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	var value any
	return value, utiljson.Unmarshal(asJSON, &value)
}

// answerGo evaluates a case with text/template alone; dot is the values (float64) or the data (int64).
func answerGo(c *testCase) error {
	dot, err := caseDot(c)
	if err != nil {
		return err
	}
	missingKey, err := missingKeyOption(c)
	if err != nil {
		return err
	}
	text, ok := c.get("template")
	if !ok {
		return fmt.Errorf("no template section")
	}
	out, err := executeGo(c, text, missingKey, dot)
	if err != nil {
		c.add("error", err.Error())
		return nil
	}
	c.add("want", out)
	return nil
}

func executeGo(c *testCase, text, missingKey string, dot any) (string, error) {
	root := template.New(caseChart).Option("missingkey=" + missingKey)
	for _, s := range c.Sections {
		if s.Name != "file" {
			continue
		}
		if _, err := root.New(s.Arg).Parse(s.Text); err != nil {
			return "", err
		}
	}
	if _, err := root.Parse(text); err != nil {
		return "", err
	}
	var out strings.Builder
	if err := root.Execute(&out, dot); err != nil {
		return "", err
	}
	return out.String(), nil
}

func caseDot(c *testCase) (any, error) {
	if text, ok := c.get("data"); ok {
		return decodeInt64(text)
	}
	var dot any
	if text, ok := c.get("values"); ok {
		return dot, yaml.Unmarshal([]byte(text), &dot)
	}
	return nil, nil
}

func missingKeyOption(c *testCase) (string, error) {
	flags, ok := c.get("flags")
	if !ok {
		return "default", nil
	}
	option, ok := strings.CutPrefix(strings.TrimSpace(flags), "--missingkey=")
	if !ok {
		return "", fmt.Errorf("the go engine knows only the flag --missingkey=default|zero|error, got %q", flags)
	}
	return option, nil
}

// answerHelm renders a case with Helm's engine. With a template section the answer is the output of that one
// file; without, it is the whole output of "helm template".
func answerHelm(c *testCase) error {
	options, err := caseOptions(c)
	if err != nil {
		return err
	}
	if err := cases.serve(c); err != nil {
		return err
	}
	var out string
	if _, ok := c.get("template"); ok {
		out, err = renderOneFile(c, options)
	} else {
		out, err = renderWholeChart(c, options)
	}
	if err != nil {
		c.add("error", err.Error())
		return nil
	}
	c.add("want", out)
	return nil
}

// caseOptions reads the flags section.
func caseOptions(c *testCase) (*renderOptions, error) {
	text, _ := c.get("flags")
	return flagLines(text)
}

// flagLines parses one flag, with its value after a space, or a bare release name per line.
func flagLines(text string) (*renderOptions, error) {
	var args []string
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if flag, value, ok := strings.Cut(line, " "); ok {
			args = append(args, flag, value)
		} else if line != "" {
			args = append(args, line)
		}
	}
	options, names, err := parseRenderFlags(args)
	if err != nil {
		return nil, err
	}
	if len(names) > 1 {
		return nil, fmt.Errorf("more than one release name: %q", names)
	}
	if len(names) == 1 {
		options.release = names[0]
	}
	return options, nil
}

func caseFiles(c *testCase) []*bufferedFile {
	var files []*bufferedFile
	hasMetadata := false
	for _, s := range c.Sections {
		switch s.Name {
		case "file":
			hasMetadata = hasMetadata || s.Arg == "Chart.yaml"
			files = append(files, &bufferedFile{Name: s.Arg, Data: []byte(s.Text)})
		case "template":
			files = append(files, &bufferedFile{Name: mainTemplate, Data: []byte(s.Text)})
		}
	}
	if !hasMetadata {
		metadata := "apiVersion: v2\nname: " + caseChart + "\nversion: 0.1.0\n"
		files = append(files, &bufferedFile{Name: "Chart.yaml", Data: []byte(metadata)})
	}
	return files
}

// caseValues merges the values (and data) sections in order, then the --set flags, as -f and --set do.
func caseValues(c *testCase, options *renderOptions) (map[string]any, error) {
	merged := map[string]any{}
	for _, s := range c.Sections {
		if s.Name != "values" && s.Name != "data" {
			continue
		}
		part, err := decodeValues(s)
		if err != nil {
			return nil, err
		}
		merged = mergeMaps(merged, part)
	}
	return merged, options.applySets(merged)
}

func decodeValues(s section) (map[string]any, error) {
	if s.Name == "values" {
		return readValuesFile(s.Text)
	}
	value, err := decodeInt64(s.Text)
	if err != nil {
		return nil, err
	}
	part, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the data section is not a map")
	}
	return part, nil
}

// mergeMaps overlays b on a: maps merge, everything else is replaced. Several -f files merge so.
func mergeMaps(a, b map[string]any) map[string]any {
	for key, value := range b {
		inner, isMap := value.(map[string]any)
		old, wasMap := a[key].(map[string]any)
		if isMap && wasMap {
			a[key] = mergeMaps(old, inner)
		} else {
			a[key] = value
		}
	}
	return a
}

func renderOneFile(c *testCase, options *renderOptions) (string, error) {
	loaded, values, err := loadCase(c, options)
	if err != nil {
		return "", err
	}
	return renderMainTemplate(loaded, values, options)
}

func loadCase(c *testCase, options *renderOptions) (*loadedChart, map[string]any, error) {
	loaded, err := loadFiles(caseFiles(c))
	if err != nil {
		return nil, nil, err
	}
	values, err := caseValues(c, options)
	return loaded, values, err
}

func renderWholeChart(c *testCase, options *renderOptions) (string, error) {
	loaded, values, err := loadCase(c, options)
	if err != nil {
		return "", err
	}
	return renderChart(loaded, values, options)
}
