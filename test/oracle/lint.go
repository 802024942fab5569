// SPDX-License-Identifier: Apache-2.0

//go:build !helm4

package main

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/cli"
	"helm.sh/helm/v3/pkg/cli/values"
	"helm.sh/helm/v3/pkg/getter"
	"helm.sh/helm/v3/pkg/lint/support"
)

// lintInputs are the sections of a case of "helm lint": the files lie in a folder of their own, and each line
// of the arguments is one argument of the command, run in that folder.
var lintInputs = map[string]bool{"file": true, "arguments": true}

// lintFolder stands for the folder of a case in expected texts.
const lintFolder = "$DIR"

func init() {
	engines["lint"] = engineSpec{[]string{helmModule}, lintInputs, answerLint}
	outputSections["log"] = true
}

// answerLint adds what "helm lint" prints, the error that it ends with, and what it logs.
func answerLint(c *testCase) error {
	folder, err := os.MkdirTemp("", "oracle-lint")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := writeFiles(c, folder); err != nil {
		return err
	}
	before, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := os.Chdir(folder); err != nil {
		return err
	}
	defer os.Chdir(before) //nolint:errcheck // Nothing after it depends on the folder.
	var logged, out bytes.Buffer
	log.SetFlags(log.Lshortfile) // As in Helm's main.
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	arguments, _ := c.get("arguments")
	lintErr := lintLikeCommand(strings.Split(strings.TrimSuffix(arguments, "\n"), "\n"), &out)
	addText := func(name, text string) {
		if text != "" {
			c.add(name, strings.ReplaceAll(text, folder, lintFolder))
		}
	}
	addText("want", out.String())
	if lintErr != nil {
		addText("error", lintErr.Error())
	}
	addText("log", logged.String())
	return nil
}

func writeFiles(c *testCase, folder string) error {
	for _, s := range c.Sections {
		if s.Name != "file" {
			continue
		}
		path := filepath.Join(folder, filepath.FromSlash(s.Arg))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(s.Text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// lintLikeCommand does what the command around the linter does; that one is in a package that none can import.
// Source: helm/helm cmd/helm/lint.go.
func lintLikeCommand(arguments []string, out *bytes.Buffer) error {
	client := action.NewLint()
	options := &values.Options{}
	var kubeVersion string
	f := pflag.NewFlagSet("lint", pflag.ContinueOnError)
	f.StringVarP(&client.Namespace, "namespace", "n", "default", "")
	f.BoolVar(&client.Strict, "strict", false, "")
	f.BoolVar(&client.WithSubcharts, "with-subcharts", false, "")
	f.BoolVar(&client.Quiet, "quiet", false, "")
	f.BoolVar(&client.SkipSchemaValidation, "skip-schema-validation", false, "")
	f.StringVar(&kubeVersion, "kube-version", "", "")
	f.StringSliceVarP(&options.ValueFiles, "values", "f", nil, "")
	f.StringArrayVar(&options.Values, "set", nil, "")
	f.StringArrayVar(&options.JSONValues, "set-json", nil, "")
	if err := f.Parse(arguments); err != nil {
		return err
	}
	if kubeVersion != "" {
		parsed, err := chartutil.ParseKubeVersion(kubeVersion)
		if err != nil {
			return fmt.Errorf("invalid kube version '%s': %s", kubeVersion, err)
		}
		client.KubeVersion = parsed
	}
	merged, err := options.MergeValues(getter.All(cli.New()))
	if err != nil {
		return err
	}
	paths := f.Args()
	if client.WithSubcharts {
		paths = append(paths, subchartPaths(paths)...)
	}
	return lintAll(client, paths, merged, out)
}

func subchartPaths(paths []string) []string {
	var found []string
	for _, path := range paths {
		_ = filepath.Walk(filepath.Join(path, "charts"), func(path string, info os.FileInfo, _ error) error {
			switch {
			case info == nil:
			case info.Name() == "Chart.yaml":
				found = append(found, filepath.Dir(path))
			case strings.HasSuffix(path, ".tgz") || strings.HasSuffix(path, ".tar.gz"):
				found = append(found, path)
			}
			return nil
		})
	}
	return found
}

func lintAll(client *action.Lint, paths []string, values map[string]any, out *bytes.Buffer) error {
	failed, remarkable := 0, 0
	for _, path := range paths {
		result := client.Run([]string{path}, values)
		bad := action.HasWarningsOrErrors(result)
		if bad {
			remarkable++
		}
		if client.Quiet && !bad {
			continue
		}
		fmt.Fprintf(out, "==> Linting %s\n", path)
		if len(result.Messages) == 0 {
			for _, err := range result.Errors {
				fmt.Fprintf(out, "Error %s\n", err)
			}
		}
		for _, message := range result.Messages {
			if !client.Quiet || message.Severity > support.InfoSev {
				fmt.Fprintf(out, "%s\n", message)
			}
		}
		if len(result.Errors) != 0 {
			failed++
		}
		fmt.Fprintln(out)
	}
	summary := fmt.Sprintf("%d chart(s) linted, %d chart(s) failed", len(paths), failed)
	if failed > 0 {
		return errors.New(summary)
	}
	if !client.Quiet || remarkable > 0 {
		fmt.Fprintln(out, summary)
	}
	return nil
}
