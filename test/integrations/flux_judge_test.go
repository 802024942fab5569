// SPDX-License-Identifier: Apache-2.0

package integrations

import (
	"context"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/polling/engine"
	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// fluxKustomization returns deploy/integrations/flux/shops.yaml, of which Flux knows each field.
func fluxKustomization(t *testing.T) kustomizev1.Kustomization {
	t.Helper()
	var read kustomizev1.Kustomization
	if err := yaml.UnmarshalStrict(shipped(t, "flux/shops.yaml"), &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// fluxReader returns what Flux reads the status of an object with under the shipped expressions.
func fluxReader(t *testing.T) engine.StatusReader {
	t.Helper()
	if reader != nil {
		return reader
	}
	exprs := fluxKustomization(t).Spec.HealthCheckExprs
	gvk := schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
	if len(exprs) != 1 || schema.FromAPIVersionAndKind(exprs[0].APIVersion, exprs[0].Kind) != gvk {
		t.Fatalf("the expressions are not about %s", gvk)
	}
	evaluator, err := cel.NewStatusEvaluator(&exprs[0].HealthCheckExpressions)
	if err != nil {
		t.Fatal(err)
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(gvk, meta.RESTScopeNamespace)
	reader = cel.NewStatusReader(context.Background(), mapper, gvk.GroupKind(), evaluator)
	return reader
}

// reader is the one that fluxReader has made.
var reader engine.StatusReader

// fluxStatus returns the status of an object in the eyes of Flux. Flux goes on to wait while it is Unknown, which it is where
// an expression cannot be evaluated.
func fluxStatus(t *testing.T, obj object) status.Status {
	t.Helper()
	found, err := fluxReader(t).ReadStatusForObject(t.Context(), nil, &unstructured.Unstructured{Object: obj})
	if err != nil {
		t.Fatal(err)
	}
	return found.Status
}

// kstatusOf returns the status of an object by the rules that Flux has without expressions.
func kstatusOf(t *testing.T, obj object) status.Status {
	t.Helper()
	found, err := status.Compute(&unstructured.Unstructured{Object: obj})
	if err != nil {
		t.Fatal(err)
	}
	return found.Status
}

func TestTheKustomizationWaitsForAllThatItApplies(t *testing.T) {
	spec := fluxKustomization(t).Spec
	if !spec.Wait || spec.Timeout == nil {
		t.Error("it does not wait")
	}
}
