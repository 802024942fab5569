// SPDX-License-Identifier: Apache-2.0

// Command oracle produces expected outputs with the real Helm, Go and YAML libraries, so that no expectation
// in this repository is our own output taken on trust. See test/cases/README.md.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

const usage = `usage:
  oracle cases FILE...                 rewrite the expectations of case files in place
  oracle scalars DIR                   write the systematically generated YAML case files into DIR
  oracle render [NAME] CHART [flags]   print what "helm template" prints (-h lists the flags)
  oracle golden GOLDEN CHARTS...       rewrite want.yaml or the digest of every case GOLDEN/<chart>/<case>
  oracle create NAME DIR               write "helm create NAME" into DIR
  oracle deprecated                    print the kinds that Kubernetes has deprecated
  oracle lint CHART [flags]            print what "helm lint" finds; exit 1 on an error
  oracle fuzz --ours PROGRAM [flags]   compare random templates with our answers (-h lists the flags)
`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("no command given\n%s", usage)
	}
	command, rest := args[0], args[1:]
	switch command {
	case "cases", "yaml", "template":
		return updateCaseFiles(rest)
	case "scalars":
		return withOneDir(rest, writeScalarCases)
	case "render":
		return renderCommand(rest, os.Stdout)
	case "golden":
		return updateGolden(rest)
	case "create":
		return createCommand(rest)
	case "deprecated":
		return deprecatedCommand(os.Stdout)
	case "lint":
		return lintCommand(rest, os.Stdout)
	case "fuzz":
		return fuzzCommand(rest, os.Stdout)
	case "-h", "--help", "help":
		fmt.Print(usage)
		return nil
	}
	return fmt.Errorf("unknown command %q\n%s", command, usage)
}

func withOneDir(args []string, write func(dir string) error) error {
	if len(args) != 1 {
		return fmt.Errorf("want exactly one directory, got %d arguments\n%s", len(args), usage)
	}
	return write(filepath.Clean(args[0]))
}
