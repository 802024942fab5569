// SPDX-License-Identifier: Apache-2.0

// Command bench is Helm's side of bench/render: it renders a chart again and again with the packages of which
// "helm template" is made, in the steps of action.Install, and says what each time cost. bench/renderer/ours.cc
// is our side, and describes the requests.
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
	"text/template"
	"time"

	"github.com/Masterminds/sprig/v3"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/releaseutil"
	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: bench CHART [VALUES]")
		os.Exit(1)
	}
	log.SetOutput(io.Discard) // Warnings about values, of which our side keeps a list.
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(chartPath string, valuesPath []string) error {
	s, err := newSubject(chartPath, valuesPath)
	if err != nil {
		return err
	}
	requests := bufio.NewScanner(os.Stdin)
	for requests.Scan() {
		line, err := s.answer(strings.Fields(requests.Text()))
		if err != nil {
			return err
		}
		fmt.Println(line)
	}
	return requests.Err()
}

// subject is a chart and values, with all that can be prepared for the next render.
type subject struct {
	files      []*loader.BufferedFile
	values     map[string]any
	loaded     *chart.Chart
	templates  []*chart.File
	functions  template.FuncMap
	valuesText []byte
	allValues  map[string]any
}

func newSubject(chartPath string, valuesPath []string) (*subject, error) {
	loaded, err := loader.Load(chartPath)
	if err != nil {
		return nil, err
	}
	s := &subject{loaded: loaded, values: map[string]any{}, functions: functions()}
	for _, file := range loaded.Raw {
		s.files = append(s.files, &loader.BufferedFile{Name: file.Name, Data: file.Data})
		if file.Name == chartutil.ValuesfileName {
			s.valuesText = file.Data
		}
	}
	for _, name := range valuesPath {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := yaml.Unmarshal(text, &s.values); err != nil {
			return nil, err
		}
	}
	s.collectTemplates(loaded)
	processed := clone(loaded)
	if err := chartutil.ProcessDependenciesWithMerge(processed, s.values); err != nil {
		return nil, err
	}
	s.allValues, err = chartutil.CoalesceValues(processed, s.values)
	return s, err
}

func (s *subject) collectTemplates(c *chart.Chart) {
	s.templates = append(s.templates, c.Templates...)
	for _, sub := range c.Dependencies() {
		s.collectTemplates(sub)
	}
}

// functions are all that the parser wants to know: the names.
func functions() template.FuncMap {
	all := sprig.TxtFuncMap()
	for _, name := range []string{"include", "tpl", "required", "lookup", "toYaml", "toYamlPretty", "fromYaml",
		"fromYamlArray", "toJson", "fromJson", "fromJsonArray", "toToml", "fromToml", "getHostByName"} {
		all[name] = func(...any) string { return "" }
	}
	return all
}

// clone copies what processing dependencies changes: a chart can then be rendered more than once.
func clone(c *chart.Chart) *chart.Chart {
	metadata := *c.Metadata
	if c.Metadata.Dependencies != nil {
		metadata.Dependencies = []*chart.Dependency{}
	}
	for _, dependency := range c.Metadata.Dependencies {
		copied := *dependency
		metadata.Dependencies = append(metadata.Dependencies, &copied)
	}
	out := *c
	out.Metadata = &metadata
	var subcharts []*chart.Chart
	for _, sub := range c.Dependencies() {
		subcharts = append(subcharts, clone(sub))
	}
	out.SetDependencies(subcharts...)
	return &out
}

func (s *subject) answer(request []string) (string, error) {
	switch {
	case len(request) == 2 && request[0] == "text":
		text, err := s.work(request[1])
		return hex.EncodeToString([]byte(text)), err
	case len(request) == 3 && request[0] == "time":
		count, err := strconv.Atoi(request[2])
		if err != nil {
			return "", err
		}
		return s.time(request[1], count)
	}
	return "", fmt.Errorf("no request: %s", strings.Join(request, " "))
}

func (s *subject) time(work string, count int) (string, error) {
	taken := make([]int64, count)
	started := time.Now()
	for i := range taken {
		before := cpuNanoseconds()
		if _, err := s.work(work); err != nil {
			return "", err
		}
		taken[i] = cpuNanoseconds() - before
	}
	line := []byte(strconv.FormatInt(time.Since(started).Nanoseconds(), 10))
	for _, ns := range taken {
		line = strconv.AppendInt(append(line, ' '), ns, 10)
	}
	return string(line), nil
}

// cpuNanoseconds counts all threads, so that the collector's share belongs to those who left it the work.
func cpuNanoseconds() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

// work does one work once.
func (s *subject) work(name string) (string, error) {
	switch name {
	case "cold":
		loaded, err := loader.LoadFiles(s.files)
		if err != nil {
			return "", err
		}
		return s.render(loaded)
	case "warm":
		return s.render(clone(s.loaded))
	case "parse":
		return s.parse()
	case "encode":
		text, err := yaml.Marshal(s.allValues)
		return string(text), err
	case "decode":
		values := map[string]any{}
		err := yaml.Unmarshal(s.valuesText, &values)
		return strconv.Itoa(len(values)), err
	}
	return "", fmt.Errorf("there is no work %s", name)
}

func (s *subject) parse() (string, error) {
	root := template.New("gotpl").Funcs(s.functions)
	for _, file := range s.templates {
		if _, err := root.New(file.Name).Parse(string(file.Data)); err != nil {
			return "", err
		}
	}
	return strconv.Itoa(len(s.templates)), nil
}

// Source: helm/helm pkg/action/install.go RunWithContext, action.go renderResources, cmd/helm/template.go.
func (s *subject) render(loaded *chart.Chart) (string, error) {
	if err := chartutil.ProcessDependenciesWithMerge(loaded, s.values); err != nil {
		return "", err
	}
	options := chartutil.ReleaseOptions{Name: "release-name", Namespace: "default", Revision: 1, IsInstall: true}
	top, err := chartutil.ToRenderValues(loaded, s.values, options, chartutil.DefaultCapabilities.Copy())
	if err != nil {
		return "", err
	}
	var e engine.Engine
	files, err := e.Render(loaded, top)
	if err != nil {
		return "", err
	}
	for name := range files {
		if path.Base(name) == "NOTES.txt" {
			delete(files, name)
		}
	}
	hooks, manifests, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
	if err != nil {
		return "", err
	}
	var all, out bytes.Buffer
	for _, manifest := range manifests {
		fmt.Fprintf(&all, "---\n# Source: %s\n%s\n", manifest.Name, manifest.Content)
	}
	fmt.Fprintln(&out, strings.TrimSpace(all.String()))
	for _, hook := range hooks {
		fmt.Fprintf(&out, "---\n# Source: %s\n%s\n", hook.Path, hook.Manifest)
	}
	return out.String(), nil
}
