// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"
)

// renderOptions are the flags of "helm template" that the project supports, under the same names.
type renderOptions struct {
	release     string
	namespace   string
	kubeVersion string
	apiVersions []string
	includeCRDs bool
	skipTests   bool
	noHooks     bool
	isUpgrade   bool
	skipSchema  bool
	strict      bool // lint's --strict has no meaning in "helm template"; here: missingkey=error
	lint        bool // the engine's lint mode, in which required and fail do not fail
	values      valuesOptions
}

func parseRenderFlags(args []string) (*renderOptions, []string, error) {
	o := &renderOptions{release: "release-name"}
	f := pflag.NewFlagSet("render", pflag.ContinueOnError)
	f.StringVarP(&o.namespace, "namespace", "n", "default", "namespace of the release")
	f.StringVar(&o.kubeVersion, "kube-version", "", "Kubernetes version for Capabilities.KubeVersion")
	f.StringSliceVarP(&o.apiVersions, "api-versions", "a", nil, "further API versions for Capabilities.APIVersions")
	f.BoolVar(&o.includeCRDs, "include-crds", false, "print the chart's CRDs too")
	f.BoolVar(&o.skipTests, "skip-tests", false, "leave out test hooks")
	f.BoolVar(&o.noHooks, "no-hooks", false, "leave out all hooks")
	f.BoolVar(&o.isUpgrade, "is-upgrade", false, "set .Release.IsUpgrade instead of .Release.IsInstall")
	f.BoolVar(&o.skipSchema, "skip-schema-validation", false, "do not validate values with values.schema.json")
	f.BoolVar(&o.strict, "strict", false, "case files only: fail on missing keys")
	f.BoolVar(&o.lint, "lint-mode", false, "case files only: required and fail do not fail")
	f.StringSliceVarP(&o.values.ValueFiles, "values", "f", nil, "values file")
	f.StringArrayVar(&o.values.Values, "set", nil, "values on the command line")
	f.StringArrayVar(&o.values.StringValues, "set-string", nil, "string values on the command line")
	f.StringArrayVar(&o.values.FileValues, "set-file", nil, "values from files")
	f.StringArrayVar(&o.values.JSONValues, "set-json", nil, "JSON values on the command line")
	f.StringArrayVar(&o.values.LiteralValues, "set-literal", nil, "a literal string value on the command line")
	err := f.Parse(args)
	return o, f.Args(), err
}

// applySets overlays the --set family on values, in Helm's order: JSON, set, string, literal.
// Source: helm/helm pkg/cli/values/options.go.
func (o *renderOptions) applySets(values map[string]any) error {
	if len(o.values.ValueFiles)+len(o.values.FileValues) > 0 {
		return errors.New("a case file cannot name other files: use values sections")
	}
	parsers := []struct {
		name   string
		inputs []string
		parse  func(string, map[string]any) error
	}{
		{"--set-json", o.values.JSONValues, setJSON},
		{"--set", o.values.Values, setTyped},
		{"--set-string", o.values.StringValues, setString},
		{"--set-literal", o.values.LiteralValues, setLiteral},
	}
	for _, p := range parsers {
		for _, input := range p.inputs {
			if err := p.parse(input, values); err != nil {
				return fmt.Errorf("failed parsing %s data: %w", p.name, err)
			}
		}
	}
	return nil
}

func renderCommand(args []string, out io.Writer) error {
	options, names, err := parseRenderFlags(args)
	if errors.Is(err, pflag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	switch len(names) {
	case 1:
	case 2:
		options.release = names[0]
	default:
		return fmt.Errorf("want [NAME] CHART, got %d arguments", len(names))
	}
	loaded, err := loadChart(names[len(names)-1])
	if err != nil {
		return err
	}
	values, err := options.valueFiles()
	if err != nil {
		return err
	}
	text, err := renderChart(loaded, values, options)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return err
}

func createCommand(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("want NAME DIR\n%s", usage)
	}
	if err := os.MkdirAll(args[1], 0o755); err != nil {
		return err
	}
	path, err := createChart(args[0], filepath.Clean(args[1]))
	if err == nil {
		fmt.Println(path)
	}
	return err
}
