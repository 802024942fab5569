// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// engineSpec says how the cases of one kind of file are answered.
type engineSpec struct {
	modules []string
	inputs  map[string]bool
	answer  func(*testCase) error
}

var engines = map[string]engineSpec{
	"yaml": {[]string{"sigs.k8s.io/yaml", "go.yaml.in/yaml/v2"}, yamlInputs, answerYAML},
	"go":   {nil, templateInputs, answerGo},
	"helm": {[]string{helmModule, "github.com/Masterminds/sprig/v3"}, templateInputs, answerHelm},
}

func updateCaseFiles(paths []string) error {
	if len(paths) == 0 {
		return fmt.Errorf("no case file given\n%s", usage)
	}
	for _, path := range paths {
		if err := updateCaseFile(path); err != nil {
			return err
		}
	}
	return nil
}

func updateCaseFile(path string) error {
	file, err := parseCaseFile(path)
	if err != nil {
		return err
	}
	return answerCases(file, path)
}

// answerCases writes the file at path with fresh expectations for all its cases.
func answerCases(file *caseFile, path string) error {
	engine, ok := engines[file.engine()]
	if !ok {
		return fmt.Errorf("%s: the head must hold \"# engine: go\", \"# engine: helm\", \"# engine: kstatus\", \"# engine: lint\", \"# engine: plural\" or \"# engine: yaml\"", path)
	}
	if wanted := file.helm(); wanted != "" && !strings.HasPrefix(moduleVersion(helmModule), "v"+wanted+".") {
		return fmt.Errorf("%s: wants Helm %s, and this oracle asks %s; use test/oracle/run", path, wanted, moduleVersion(helmModule))
	}
	for i := range file.Cases {
		c := &file.Cases[i]
		if err := c.keepOnly(engine.inputs); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := engine.answer(c); err != nil {
			return fmt.Errorf("%s: case %q: %w", path, c.Title, err)
		}
	}
	return file.write(path, generatorName(engine.modules))
}

// goRelease is the minor release of Go that built the oracle, "go1.26". test/oracle/run sets it: runtime.Version is
// none that exists, so that a case that shows it fails on every machine.
var goRelease = "(unknown Go)"

// generatorName lists what the expectations came from: module versions and the Go release.
func generatorName(modules []string) string {
	var parts []string
	for _, module := range modules {
		parts = append(parts, module+" "+moduleVersion(module))
	}
	return strings.Join(append(parts, goRelease), ", ")
}

func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	for _, dep := range info.Deps {
		if dep.Path == path {
			return dep.Version
		}
	}
	return "(unknown)"
}
