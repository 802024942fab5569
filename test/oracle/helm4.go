// SPDX-License-Identifier: Apache-2.0

//go:build helm4

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"helm.sh/helm/v4/pkg/action"
	chartapi "helm.sh/helm/v4/pkg/chart"
	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	chartloader "helm.sh/helm/v4/pkg/chart/loader"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/cli"
	valuesopt "helm.sh/helm/v4/pkg/cli/values"
	"helm.sh/helm/v4/pkg/engine"
	"helm.sh/helm/v4/pkg/getter"
	release "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/strvals"
)

// helmModule is the Helm that this build asks.
const helmModule = "helm.sh/helm/v4"

// ownSignatures are the functions of this Helm that others lack, as fuzz_operands.go writes them.
const ownSignatures = `
mustToYaml s a; mustToToml s d; mustToDuration a P; durationSeconds n P; durationMilliseconds i P
durationMicroseconds i P; durationNanoseconds i P; durationMinutes n P; durationHours n P; durationDays n P
durationWeeks n P; durationRoundTo a P P; durationTruncateTo a P P
`

type (
	valuesOptions = valuesopt.Options
	loadedChart   = chart.Chart
	bufferedFile  = archive.BufferedFile
)

var (
	createChart = chartutil.Create
	setTyped    = strvals.ParseInto
	setString   = strvals.ParseIntoString
	setLiteral  = strvals.ParseLiteralInto
)

// loadChart loads a folder or an archive, as the commands do.
func loadChart(path string) (*loadedChart, error) {
	return installable(chartloader.Load(path))
}

// loadFiles loads files as those of an archive, since Helm looks at the kind of a chart only there and in folders.
func loadFiles(files []*bufferedFile) (*loadedChart, error) {
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	entries := tar.NewWriter(zipped)
	for _, file := range files {
		header := &tar.Header{Name: "chart/" + file.Name, Mode: 0o644, Size: int64(len(file.Data))}
		if err := entries.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := entries.Write(file.Data); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(entries.Close(), zipped.Close()); err != nil {
		return nil, err
	}
	return installable(chartloader.LoadArchive(&packed))
}

// installable returns the chart, or what an install says of one in a format that it does not take.
func installable(loaded chartapi.Charter, err error) (*loadedChart, error) {
	if err != nil {
		return nil, err
	}
	if known, ok := loaded.(*loadedChart); ok {
		return known, nil
	}
	_, err = action.NewInstall(action.NewConfiguration()).Run(loaded, nil)
	return nil, err
}

// setJSON reads a whole object or key=value, as MergeValues does.
func setJSON(input string, values map[string]any) error {
	options := valuesopt.Options{JSONValues: []string{input}}
	if !strings.HasPrefix(strings.TrimSpace(input), "{") {
		return strvals.ParseJSON(input, values)
	}
	parsed, err := options.MergeValues(getter.All(cli.New()))
	if err != nil {
		return err
	}
	mergeMaps(values, parsed)
	return nil
}

// valueFiles merges values files and the --set family.
func (o *renderOptions) valueFiles() (map[string]any, error) {
	return o.values.MergeValues(getter.All(cli.New()))
}

// readValuesFile decodes a values file.
func readValuesFile(text string) (map[string]any, error) {
	return loader.LoadValues(strings.NewReader(text))
}

func (o *renderOptions) capabilities() (*common.Capabilities, error) {
	caps := common.DefaultCapabilities.Copy()
	if o.kubeVersion != "" {
		version, err := common.ParseKubeVersion(o.kubeVersion)
		if err != nil {
			return nil, fmt.Errorf("invalid kube version '%s': %w", o.kubeVersion, err)
		}
		caps.KubeVersion = *version
	}
	caps.APIVersions = append(caps.APIVersions, o.apiVersions...)
	return caps, nil
}

// Helm's release build learns its own version by linker flags.
func init() {
	common.DefaultCapabilities.HelmVersion.Version = moduleVersion(helmModule)
	common.DefaultCapabilities.HelmVersion.GitTreeState = "clean"
	common.DefaultCapabilities.HelmVersion.GoVersion = helmGoVersion()
}

// renderMainTemplate returns the text of a case's main template alone.
func renderMainTemplate(loaded *loadedChart, values map[string]any, options *renderOptions) (string, error) {
	if err := chartutil.ProcessDependencies(loaded, values); err != nil {
		return "", fmt.Errorf("chart dependencies processing failed: %w", err) // As in pkg/action/install.go.
	}
	caps, err := options.capabilities()
	if err != nil {
		return "", err
	}
	release := common.ReleaseOptions{
		Name: options.release, Namespace: options.namespace, Revision: 1,
		IsInstall: !options.isUpgrade, IsUpgrade: options.isUpgrade,
	}
	top, err := commonutil.ToRenderValuesWithSchemaValidation(loaded, values, release, caps, options.skipSchema)
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
// Source: helm/helm pkg/cmd/template.go and install.go.
func renderChart(loaded *loadedChart, values map[string]any, options *renderOptions) (string, error) {
	if t := loaded.Metadata.Type; t != "" && t != "application" {
		return "", fmt.Errorf("%s charts are not installable", t)
	}
	accessor, err := chartapi.NewAccessor(loaded)
	if err != nil {
		return "", err
	}
	if deps := accessor.MetaDependencies(); len(deps) > 0 {
		if err := action.CheckDependencies(loaded, deps); err != nil {
			return "", fmt.Errorf("an error occurred while checking for chart dependencies. "+
				"You may need to run 'helm dependency build' to fetch missing dependencies: %w", err)
		}
	}
	client := action.NewInstall(action.NewConfiguration())
	client.DryRunStrategy = action.DryRunClient
	client.Replace = true
	client.ReleaseName, client.Namespace = options.release, options.namespace
	client.APIVersions = options.apiVersions
	client.IncludeCRDs, client.DisableHooks = options.includeCRDs, options.noHooks
	client.IsUpgrade, client.SkipSchemaValidation = options.isUpgrade, options.skipSchema
	caps, err := options.capabilities()
	if err != nil {
		return "", err
	}
	client.KubeVersion = &caps.KubeVersion
	made, err := client.Run(loaded, values)
	if err != nil {
		return "", err
	}
	rel, ok := made.(*release.Release)
	if !ok {
		return "", fmt.Errorf("install made a %T", made)
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
