// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/cli"
	valuesopt "helm.sh/helm/v3/pkg/cli/values"
	"helm.sh/helm/v3/pkg/getter"
	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/strvals"
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
	values      valuesopt.Options
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
		{"--set-json", o.values.JSONValues, strvals.ParseJSON},
		{"--set", o.values.Values, strvals.ParseInto},
		{"--set-string", o.values.StringValues, strvals.ParseIntoString},
		{"--set-literal", o.values.LiteralValues, strvals.ParseLiteralInto},
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

func (o *renderOptions) capabilities() (*chartutil.Capabilities, error) {
	caps := chartutil.DefaultCapabilities.Copy()
	if o.kubeVersion != "" {
		version, err := chartutil.ParseKubeVersion(o.kubeVersion)
		if err != nil {
			return nil, fmt.Errorf("invalid kube version '%s': %w", o.kubeVersion, err)
		}
		caps.KubeVersion = *version
	}
	caps.APIVersions = append(caps.APIVersions, o.apiVersions...)
	return caps, nil
}

// Helm's release build learns its own version and the default Kubernetes version by linker flags; the same
// rule is applied here from the versions of the modules: client-go v0.N means Kubernetes v1.N.0.
func init() {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	for _, dep := range info.Deps {
		switch dep.Path {
		case "k8s.io/client-go":
			parts := strings.Split(dep.Version, ".")
			chartutil.DefaultCapabilities.KubeVersion = chartutil.KubeVersion{
				Version: "v1." + parts[1] + ".0", Major: "1", Minor: parts[1],
			}
		case "helm.sh/helm/v3":
			chartutil.DefaultCapabilities.HelmVersion.Version = dep.Version
		}
	}
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
	loaded, err := loader.Load(names[len(names)-1])
	if err != nil {
		return err
	}
	values, err := options.values.MergeValues(getter.All(cli.New()))
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

// renderChart returns what "helm template" prints for a chart and values.
// Source: helm/helm cmd/helm/template.go and install.go.
func renderChart(loaded *chart.Chart, values map[string]any, options *renderOptions) (string, error) {
	if t := loaded.Metadata.Type; t != "" && t != "application" {
		return "", fmt.Errorf("%s charts are not installable", t)
	}
	if deps := loaded.Metadata.Dependencies; deps != nil {
		if err := action.CheckDependencies(loaded, deps); err != nil {
			return "", fmt.Errorf("An error occurred while checking for chart dependencies. "+ //nolint:staticcheck // Helm's text
				"You may need to run `helm dependency build` to fetch missing dependencies: %w", err)
		}
	}
	client := action.NewInstall(new(action.Configuration))
	client.DryRun, client.DryRunOption = true, "true"
	client.Replace, client.ClientOnly = true, true
	client.ReleaseName, client.Namespace = options.release, options.namespace
	client.APIVersions = options.apiVersions
	client.IncludeCRDs, client.DisableHooks = options.includeCRDs, options.noHooks
	client.IsUpgrade, client.SkipSchemaValidation = options.isUpgrade, options.skipSchema
	caps, err := options.capabilities()
	if err != nil {
		return "", err
	}
	client.KubeVersion = &caps.KubeVersion
	rel, err := client.Run(loaded, values)
	if err != nil {
		return "", err
	}
	return printRelease(rel, options), nil
}

func printRelease(rel *release.Release, options *renderOptions) string {
	var out bytes.Buffer
	fmt.Fprintln(&out, strings.TrimSpace(rel.Manifest))
	if options.noHooks {
		return out.String()
	}
	for _, hook := range rel.Hooks {
		if options.skipTests && isTestHook(hook) {
			continue
		}
		fmt.Fprintf(&out, "---\n# Source: %s\n%s\n", hook.Path, hook.Manifest)
	}
	return out.String()
}

func isTestHook(hook *release.Hook) bool {
	for _, event := range hook.Events {
		if event == release.HookTest {
			return true
		}
	}
	return false
}

func createCommand(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("want NAME DIR\n%s", usage)
	}
	if err := os.MkdirAll(args[1], 0o755); err != nil {
		return err
	}
	path, err := chartutil.Create(args[0], filepath.Clean(args[1]))
	if err == nil {
		fmt.Println(path)
	}
	return err
}

func lintCommand(args []string, out io.Writer) error {
	options, charts, err := parseRenderFlags(args)
	if err != nil {
		return err
	}
	values, err := options.values.MergeValues(getter.All(cli.New()))
	if err != nil {
		return err
	}
	client := action.NewLint()
	client.Strict, client.Namespace = options.strict, options.namespace
	result := client.Run(charts, values)
	for _, message := range result.Messages {
		fmt.Fprintln(out, message)
	}
	return errors.Join(result.Errors...)
}
