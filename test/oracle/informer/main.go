// SPDX-License-Identifier: Apache-2.0

// Command informer runs client-go's dynamic shared informer on one resource, as controllers do. It prints what the
// informer tells its handlers as lines of JSON; for each line that it reads, it prints the whole store.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// line is what is printed of one event.
type line struct {
	Event   string          `json:"event"`
	Key     string          `json:"key,omitempty"`
	Version string          `json:"version,omitempty"`
	Initial bool            `json:"initial,omitempty"`
	Spec    any             `json:"spec,omitempty"`
	Code    int32           `json:"code,omitempty"`
	Message string          `json:"message,omitempty"`
	Store   map[string]line `json:"store,omitempty"`
}

// printer writes lines from several goroutines.
type printer struct {
	mutex sync.Mutex
	out   *json.Encoder
}

func (p *printer) print(one line) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.out.Encode(one) != nil {
		os.Exit(1) // Nobody reads any more.
	}
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path of the kubeconfig")
	group := flag.String("group", "", "API group")
	version := flag.String("version", "", "version of the group")
	resource := flag.String("resource", "", "plural name of the resource")
	namespace := flag.String("namespace", metav1.NamespaceAll, "the only namespace; default: all")
	flag.Parse()
	which := schema.GroupVersionResource{Group: *group, Version: *version, Resource: *resource}
	if err := run(*kubeconfig, which, *namespace); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(kubeconfig string, which schema.GroupVersionResource, namespace string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.UserAgent = "informer-" + which.Resource
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil)
	informer := factory.ForResource(which).Informer()
	out := &printer{out: json.NewEncoder(os.Stdout)}
	handlers, err := listen(informer, out)
	if err != nil {
		return err
	}
	ctx := context.Background()
	factory.Start(ctx.Done())
	// The store has synced before the handlers were told of all that is in it.
	cache.WaitForCacheSync(ctx.Done(), handlers.HasSynced)
	out.print(line{Event: "synced"})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		out.print(line{Event: "store", Store: stored(informer.GetStore())})
	}
	return lines.Err()
}

// listen has the informer print what happens.
func listen(informer cache.SharedIndexInformer, out *printer) (cache.ResourceEventHandlerRegistration, error) {
	err := informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		out.print(failure(err))
	})
	if err != nil {
		return nil, err
	}
	return informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(obj any, initial bool) {
			added := seen("added", obj)
			added.Initial = initial
			out.print(added)
		},
		UpdateFunc: func(_, obj any) { out.print(seen("updated", obj)) },
		DeleteFunc: func(obj any) {
			if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = gone.Obj
			}
			out.print(seen("deleted", obj))
		},
	})
}

func seen(event string, obj any) line {
	one, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return line{Event: "error", Message: fmt.Sprintf("%T is no object", obj)}
	}
	key, _ := cache.MetaNamespaceKeyFunc(one)
	return line{Event: event, Key: key, Version: one.GetResourceVersion(), Spec: one.Object["spec"]}
}

func failure(err error) line {
	told := line{Event: "error", Message: err.Error()}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		told.Code = status.Status().Code
	}
	return told
}

func stored(store cache.Store) map[string]line {
	all := map[string]line{}
	for _, obj := range store.List() {
		one := seen("stored", obj)
		all[one.Key] = one
	}
	return all
}
