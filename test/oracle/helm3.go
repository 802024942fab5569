// SPDX-License-Identifier: Apache-2.0

//go:build !helm4

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/cli"
	valuesopt "helm.sh/helm/v3/pkg/cli/values"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/getter"
	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/strvals"
	"sigs.k8s.io/yaml"
)

// helmModule is the Helm that this build asks.
const helmModule = "helm.sh/helm/v3"

// ownSignatures are the functions of this Helm that others lack, as fuzz_operands.go writes them.
const ownSignatures = ""

type (
	valuesOptions = valuesopt.Options
	loadedChart   = chart.Chart
	bufferedFile  = loader.BufferedFile
)

var (
	loadChart   = loader.Load
	loadFiles   = loader.LoadFiles
	createChart = chartutil.Create
	setJSON     = strvals.ParseJSON
	setTyped    = strvals.ParseInto
	setString   = strvals.ParseIntoString
	setLiteral  = strvals.ParseLiteralInto
)

// valueFiles merges values files and the --set family.
func (o *renderOptions) valueFiles() (map[string]any, error) {
	return o.values.MergeValues(getter.All(cli.New()))
}

// readValuesFile decodes a values file.
func readValuesFile(text string) (map[string]any, error) {
	part := map[string]any{}
	return part, yaml.Unmarshal([]byte(text), &part)
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
		case helmModule:
			chartutil.DefaultCapabilities.HelmVersion.Version = dep.Version
			chartutil.DefaultCapabilities.HelmVersion.GitTreeState = "clean"
			chartutil.DefaultCapabilities.HelmVersion.GoVersion = helmGoVersion()
		}
	}
}

// renderMainTemplate returns the text of a case's main template alone.
func renderMainTemplate(loaded *loadedChart, values map[string]any, options *renderOptions) (string, error) {
	if err := chartutil.ProcessDependenciesWithMerge(loaded, values); err != nil {
		return "", err
	}
	caps, err := options.capabilities()
	if err != nil {
		return "", err
	}
	release := chartutil.ReleaseOptions{
		Name: options.release, Namespace: options.namespace, Revision: 1,
		IsInstall: !options.isUpgrade, IsUpgrade: options.isUpgrade,
	}
	top, err := chartutil.ToRenderValuesWithSchemaValidation(loaded, values, release, caps, false)
	if err != nil {
		return "", err
	}
	rendered, err := engine.Engine{Strict: options.strict, LintMode: options.lint}.Render(loaded, top)
	if err != nil {
		return "", err
	}
	return rendered[loaded.Name()+"/"+mainTemplate], nil
}

// renderChart returns what "helm template" prints for a chart and values.
// Source: helm/helm cmd/helm/template.go and install.go.
func renderChart(loaded *loadedChart, values map[string]any, options *renderOptions) (string, error) {
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

func lintCommand(args []string, out io.Writer) error {
	options, charts, err := parseRenderFlags(args)
	if err != nil {
		return err
	}
	values, err := options.valueFiles()
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
