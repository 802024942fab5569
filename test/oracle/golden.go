// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// wholeGoldens is the version whose renders are kept as they are; of others only digests are.
const wholeGoldens = "3.22"

// updateGolden rewrites GOLDEN/<chart>/<case>/want.yaml for every case. The chart is searched by its name in
// the given chart folders. A case holds cr.yaml (rendered as the operator does) or values.yaml (as -f), and
// optionally flags, one flag of "oracle render" per line. Other versions of Helm write GOLDEN/helm_<version>.txt,
// a line with SHA-256 and case each.
func updateGolden(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("want GOLDEN CHARTS...\n%s", usage)
	}
	cases, err := filepath.Glob(filepath.Join(args[0], "*", "*"))
	if err != nil {
		return err
	}
	var digests strings.Builder
	for _, dir := range cases {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return fmt.Errorf("%s: not a golden case: want a folder GOLDEN/<chart>/<case>", dir)
		}
		chartDir, err := findChart(filepath.Base(filepath.Dir(dir)), args[1:])
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		text, renderErr, err := renderGolden(dir, chartDir)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		if renderErr != nil {
			text = renderErr.Error() + "\n"
		}
		if helmVersion() != wholeGoldens {
			fmt.Fprintf(&digests, "%x %s/%s\n", sha256.Sum256([]byte(text)), filepath.Base(filepath.Dir(dir)), filepath.Base(dir))
		} else if err := writeGolden(dir, text, renderErr != nil); err != nil {
			return err
		}
	}
	if digests.Len() == 0 {
		return nil
	}
	return os.WriteFile(filepath.Join(args[0], "helm_"+helmVersion()+".txt"), []byte(digests.String()), 0o644)
}

func findChart(name string, folders []string) (string, error) {
	for _, folder := range folders {
		dir := filepath.Join(folder, name)
		if _, err := os.Stat(filepath.Join(dir, "Chart.yaml")); err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("no chart %q in %s", name, strings.Join(folders, ", "))
}

// renderGolden renders one case; renderErr is why Helm refuses it.
func renderGolden(dir, chartDir string) (text string, renderErr, err error) {
	options, values, err := goldenInputs(dir)
	if err != nil {
		return "", nil, err
	}
	loaded, err := loadChart(chartDir)
	if err != nil {
		return "", nil, err
	}
	text, renderErr = renderChart(loaded, values, options)
	return text, renderErr, nil
}

// writeGolden writes want.yaml, or want.error if Helm refuses the case, and removes the other one.
func writeGolden(dir, text string, failed bool) error {
	written, stale := "want.yaml", "want.error"
	if failed {
		written, stale = stale, written
	}
	if err := os.Remove(filepath.Join(dir, stale)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(filepath.Join(dir, written), []byte(text), 0o644)
}

func goldenInputs(dir string) (*renderOptions, map[string]any, error) {
	options, err := goldenFlags(filepath.Join(dir, "flags"))
	if err != nil {
		return nil, nil, err
	}
	cr, err := os.ReadFile(filepath.Join(dir, "cr.yaml"))
	if err == nil {
		values, err := customResource(string(cr), options)
		return options, values, err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	options.values.ValueFiles = []string{filepath.Join(dir, "values.yaml")}
	values, err := options.valueFiles()
	return options, values, err
}

func goldenFlags(path string) (*renderOptions, error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return flagLines(string(text))
}

// customResource takes release name, namespace and values from a custom resource, as the operator does:
// its metadata and its spec, with integers kept apart from floats.
func customResource(text string, options *renderOptions) (map[string]any, error) {
	decoded, err := decodeInt64(text)
	if err != nil {
		return nil, err
	}
	object, _ := decoded.(map[string]any)
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	if name == "" {
		return nil, errors.New("cr.yaml: metadata.name is missing")
	}
	options.release = name
	if namespace, ok := metadata["namespace"].(string); ok {
		options.namespace = namespace
	}
	spec, ok := object["spec"].(map[string]any)
	if !ok {
		spec = map[string]any{}
	}
	return spec, nil
}
