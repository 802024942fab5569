// SPDX-License-Identifier: Apache-2.0

// Command deploy installs, upgrades, rolls back or uninstalls a release as helm does:
//
//	deploy -kubeconfig FILE -namespace NS install|upgrade NAME CHART [KEY=VALUE ...]
//	deploy -kubeconfig FILE -namespace NS rollback NAME REVISION
//	deploy -kubeconfig FILE -namespace NS uninstall NAME
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"strconv"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/strvals"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

const timeout = time.Minute

func main() {
	log.SetFlags(0)
	kubeconfig := flag.String("kubeconfig", "", "how to reach the cluster")
	namespace := flag.String("namespace", "", "of the release")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "deploy: a command and the name of a release are needed")
		os.Exit(2)
	}
	flags := genericclioptions.NewConfigFlags(false)
	flags.KubeConfig = kubeconfig
	flags.Namespace = namespace
	config := new(action.Configuration)
	if err := config.Init(flags, *namespace, "secret", log.Printf); err != nil {
		log.Fatal(err)
	}
	if err := run(config, *namespace, flag.Arg(0), flag.Arg(1), flag.Args()[2:]); err != nil {
		log.Fatal(err)
	}
}

func run(config *action.Configuration, namespace, command, name string, rest []string) error {
	switch command {
	case "install":
		install := action.NewInstall(config)
		install.ReleaseName, install.Namespace, install.Timeout = name, namespace, timeout
		loaded, values, err := inputs(rest)
		if err == nil {
			_, err = install.Run(loaded, values)
		}
		return err
	case "upgrade":
		upgrade := action.NewUpgrade(config)
		upgrade.Namespace, upgrade.Timeout = namespace, timeout
		loaded, values, err := inputs(rest)
		if err == nil {
			_, err = upgrade.Run(name, loaded, values)
		}
		return err
	case "rollback":
		revision, err := strconv.Atoi(rest[0])
		if err != nil {
			return err
		}
		rollback := action.NewRollback(config)
		rollback.Version, rollback.Timeout = revision, timeout
		return rollback.Run(name)
	case "uninstall":
		uninstall := action.NewUninstall(config)
		uninstall.Timeout = timeout
		_, err := uninstall.Run(name)
		return err
	}
	return fmt.Errorf("deploy: no command %q", command)
}

// inputs loads a chart and parses the settings of its values, as --set does.
func inputs(arguments []string) (*chart.Chart, map[string]any, error) {
	values := map[string]any{}
	for _, setting := range arguments[1:] {
		if err := strvals.ParseInto(setting, values); err != nil {
			return nil, nil, err
		}
	}
	loaded, err := loader.Load(arguments[0])
	return loaded, values, err
}
