# SPDX-License-Identifier: Apache-2.0
"""The control plane behaves like a cluster: workloads, volumes, garbage, namespaces, RBAC."""

import pytest

from harness.connection import ApiError
from harness.kube import Kube, wait_until

POD_STATE = "chartwright.io/test-pod-state"
RESIZE = "chartwright.io/test-resize"


def workload(kind, namespace, name, **spec):
    """Returns a Deployment or StatefulSet with one container; `annotations` are for its pods."""
    labels = {"app": name}
    annotations = spec.pop("annotations", {})
    pod = {
        "metadata": {"labels": labels, "annotations": annotations},
        "spec": {"containers": [{"name": "main", "image": "example/main:1"}]},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"selector": {"matchLabels": labels}, "template": pod, **spec},
    }


def database(namespace, replicas=1):
    """Returns a StatefulSet with a mounted claim of 2Gi per replica."""
    claim = {
        "metadata": {"name": "data"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "2Gi"}},
        },
    }
    obj = workload(
        "StatefulSet",
        namespace,
        "db",
        replicas=replicas,
        serviceName="db",
        volumeClaimTemplates=[claim],
    )
    container = obj["spec"]["template"]["spec"]["containers"][0]
    container["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
    return obj


def claim(namespace, storage_class):
    """Returns a claim of 1Gi that no pod mounts."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "alone", "namespace": namespace},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": storage_class,
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }


def ready_replicas(count):
    """Returns a predicate: this number of replicas is ready."""
    return lambda obj: obj is not None and obj["status"].get("readyReplicas") == count


def bound(obj):
    """Reports whether the claim is bound."""
    return obj is not None and obj["status"]["phase"] == "Bound"


def capacity(size):
    """Returns a predicate: the claim has grown to that size, with nothing pending."""
    return lambda c: (
        c["status"]["capacity"]["storage"] == size and not c["status"].get("conditions")
    )


def request_storage(kube, name, namespace, size):
    """Requests another size of a claim."""
    body = {"spec": {"resources": {"requests": {"storage": size}}}}
    return kube.patch("v1/PersistentVolumeClaim", name, namespace, body)


def the_pod(kube, namespace):
    """Waits for the only pod of a namespace and returns it."""
    return wait_until(lambda: kube.list("v1/Pod", namespace), what="a pod")[0]["metadata"]["name"]


def test_a_deployment_rolls_out_and_its_pods_are_complete(shared_cluster, namespace):
    kube = shared_cluster.kube
    obj = workload("Deployment", namespace, "web", replicas=2)
    obj["spec"]["template"]["spec"]["initContainers"] = [{"name": "init", "image": "example/i:1"}]
    kube.create(obj)
    deployment = kube.wait("apps/v1/Deployment", "web", namespace, ready_replicas(2))
    assert deployment["status"]["availableReplicas"] == 2
    for pod in kube.list("v1/Pod", namespace):
        status = pod["status"]
        assert status["phase"] == "Running"
        assert status["podIP"].startswith("10.244.")
        assert status["containerStatuses"][0]["image"] == "example/main:1"
        assert status["initContainerStatuses"][0]["state"]["terminated"]["exitCode"] == 0
    shared_cluster.kubectl("rollout", "status", "deployment/web", "-n", namespace)


def test_a_new_image_replaces_every_pod(shared_cluster, namespace):
    kube = shared_cluster.kube
    obj = workload("Deployment", namespace, "web", replicas=2)
    kube.apply(obj)
    kube.wait("apps/v1/Deployment", "web", namespace, ready_replicas(2))
    before = {pod["metadata"]["uid"] for pod in kube.list("v1/Pod", namespace)}
    obj["spec"]["template"]["spec"]["containers"][0]["image"] = "example/main:2"
    kube.apply(obj)
    shared_cluster.kubectl("rollout", "status", "deployment/web", "-n", namespace)
    wait_until(lambda: len(kube.list("v1/Pod", namespace)) == 2, what="the end of the old pods")
    pods = kube.list("v1/Pod", namespace)
    assert before.isdisjoint(pod["metadata"]["uid"] for pod in pods)
    assert {pod["status"]["containerStatuses"][0]["image"] for pod in pods} == {"example/main:2"}


def test_a_statefulset_rolls_out_with_bound_claims(shared_cluster, namespace):
    kube = shared_cluster.kube
    kube.create(database(namespace, replicas=2))
    kube.wait("apps/v1/StatefulSet", "db", namespace, ready_replicas(2))
    claims = kube.list("v1/PersistentVolumeClaim", namespace)
    assert [c["metadata"]["name"] for c in claims] == ["data-db-0", "data-db-1"]
    for each in claims:
        assert each["spec"]["storageClassName"] == "standard"
        assert bound(each) and each["status"]["capacity"]["storage"] == "2Gi"
        volume = kube.get("v1/PersistentVolume", each["spec"]["volumeName"])
        assert volume["status"]["phase"] == "Bound"


def test_a_claim_grows_with_its_volume_and_never_shrinks(shared_cluster, namespace):
    kube = shared_cluster.kube
    kube.create(database(namespace))
    kube.wait("apps/v1/StatefulSet", "db", namespace, ready_replicas(1))
    request_storage(kube, "data-db-0", namespace, "3Gi")
    grown = kube.wait("v1/PersistentVolumeClaim", "data-db-0", namespace, capacity("3Gi"))
    volume = kube.get("v1/PersistentVolume", grown["spec"]["volumeName"])
    assert volume["spec"]["capacity"]["storage"] == "3Gi"
    with pytest.raises(ApiError) as refused:
        request_storage(kube, "data-db-0", namespace, "2Gi")
    assert refused.value.code == 422
    assert [cause["field"] for cause in refused.value.causes] == ["spec.resources.requests.storage"]


def test_a_pending_file_system_resize_ends_with_the_next_pod(shared_cluster, namespace):
    kube = shared_cluster.kube
    kube.create(database(namespace))
    kube.wait("apps/v1/StatefulSet", "db", namespace, ready_replicas(1))
    kube.annotate(
        "v1/PersistentVolumeClaim", "data-db-0", namespace, {RESIZE: "filesystem-pending"}
    )
    request_storage(kube, "data-db-0", namespace, "3Gi")
    pending = kube.wait(
        "v1/PersistentVolumeClaim", "data-db-0", namespace, lambda c: c["status"].get("conditions")
    )
    assert [c["type"] for c in pending["status"]["conditions"]] == ["FileSystemResizePending"]
    assert pending["status"]["capacity"]["storage"] == "2Gi"
    kube.delete("v1/Pod", "db-0", namespace)
    kube.wait("v1/PersistentVolumeClaim", "data-db-0", namespace, capacity("3Gi"))
    # The switch still applies to the next growth.
    request_storage(kube, "data-db-0", namespace, "4Gi")
    kube.wait(
        "v1/PersistentVolumeClaim", "data-db-0", namespace, lambda c: c["status"].get("conditions")
    )
    kube.annotate("v1/PersistentVolumeClaim", "data-db-0", namespace, {RESIZE: None})
    kube.wait("v1/PersistentVolumeClaim", "data-db-0", namespace, capacity("4Gi"))


def test_a_class_without_expansion_binds_claims_and_refuses_growth(shared_cluster, namespace):
    kube = shared_cluster.kube
    kube.create(claim(namespace, "no-expand"))
    kube.wait("v1/PersistentVolumeClaim", "alone", namespace, bound)
    with pytest.raises(ApiError) as refused:
        request_storage(kube, "alone", namespace, "2Gi")
    assert refused.value.code == 403


def test_a_deleted_claim_takes_its_volume_with_it(shared_cluster, namespace):
    kube = shared_cluster.kube
    kube.create(claim(namespace, "standard"))
    obj = kube.wait("v1/PersistentVolumeClaim", "alone", namespace, bound)
    kube.delete("v1/PersistentVolumeClaim", "alone", namespace)
    kube.wait_gone("v1/PersistentVolumeClaim", "alone", namespace)
    kube.wait_gone("v1/PersistentVolume", obj["spec"]["volumeName"])


def test_a_crashlooping_pod_recovers_without_the_annotation(shared_cluster, namespace):
    kube = shared_cluster.kube
    annotations = {POD_STATE: "crashloop"}
    kube.create(workload("Deployment", namespace, "web", replicas=1, annotations=annotations))
    pod = the_pod(kube, namespace)

    def crashing(obj):
        statuses = obj["status"].get("containerStatuses", [{}])
        return statuses[0].get("state", {}).get("waiting", {}).get("reason") == "CrashLoopBackOff"

    status = kube.wait("v1/Pod", pod, namespace, crashing)["status"]
    assert status["containerStatuses"][0]["lastState"]["terminated"]["exitCode"] == 1
    assert {c["type"]: c["status"] for c in status["conditions"]}["Ready"] == "False"
    assert not kube.get("apps/v1/Deployment", "web", namespace)["status"].get("readyReplicas")
    kube.annotate("v1/Pod", pod, namespace, {POD_STATE: None})
    kube.wait("apps/v1/Deployment", "web", namespace, ready_replicas(1))
    kube.annotate("v1/Pod", pod, namespace, {POD_STATE: "crashloop"})
    kube.wait(
        "apps/v1/Deployment", "web", namespace, lambda d: not d["status"].get("readyReplicas")
    )


def test_a_pending_pod_stays_pending_until_the_annotation_is_removed(shared_cluster, namespace):
    kube = shared_cluster.kube
    obj = database(namespace)
    obj["spec"]["template"]["metadata"]["annotations"] = {POD_STATE: "pending"}
    kube.create(obj)
    pod = the_pod(kube, namespace)
    kube.wait("v1/Pod", pod, namespace, lambda p: p["spec"].get("nodeName"), what="a node")
    # Once a later pod is ready, kwok must have seen the first one and ignored it.
    kube.create(workload("Deployment", namespace, "later", replicas=1))
    kube.wait("apps/v1/Deployment", "later", namespace, ready_replicas(1))
    assert kube.get("v1/Pod", pod, namespace)["status"]["phase"] == "Pending"
    kube.annotate("v1/Pod", pod, namespace, {POD_STATE: None})
    kube.wait("apps/v1/StatefulSet", "db", namespace, ready_replicas(1))


def test_a_job_completes(shared_cluster, namespace):
    kube = shared_cluster.kube
    template = {
        "spec": {
            "restartPolicy": "Never",
            "containers": [{"name": "main", "image": "example/main:1"}],
        }
    }
    kube.create(
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "once", "namespace": namespace},
            "spec": {"template": template},
        }
    )
    kube.wait("batch/v1/Job", "once", namespace, lambda job: job["status"].get("succeeded") == 1)


def test_an_owned_object_is_collected_with_its_owner(shared_cluster, namespace):
    kube = shared_cluster.kube

    def config_map(name, **metadata):
        metadata = {"name": name, "namespace": namespace, **metadata}
        return kube.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})

    owner = config_map("owner")
    reference = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": "owner",
        "uid": owner["metadata"]["uid"],
    }
    config_map("child", ownerReferences=[reference])
    config_map("stranger")
    kube.delete("v1/ConfigMap", "owner", namespace)
    kube.wait_gone("v1/ConfigMap", "child", namespace)
    assert kube.find("v1/ConfigMap", "stranger", namespace) is not None


def test_a_deleted_namespace_goes_with_everything_in_it(shared_cluster):
    kube = shared_cluster.kube
    name = shared_cluster.create_namespace()
    kube.create(database(name))
    kube.wait("apps/v1/StatefulSet", "db", name, ready_replicas(1))
    volume = kube.get("v1/PersistentVolumeClaim", "data-db-0", name)["spec"]["volumeName"]
    kube.delete("v1/Namespace", name)
    kube.wait_gone("v1/Namespace", name, timeout_seconds=60)
    kube.wait_gone("v1/PersistentVolume", volume)


def test_a_service_account_may_do_what_its_role_says_and_no_more(shared_cluster, namespace):
    kubectl = shared_cluster.kubectl
    kubectl("create", "serviceaccount", "tester", "-n", namespace)
    path = shared_cluster.service_account_kubeconfig(namespace, "tester")
    tester = Kube.from_kubeconfig(path, kubectl.binary)
    with pytest.raises(ApiError) as refused:
        tester.list("v1/Pod", namespace)
    assert refused.value.code == 403
    kubectl("create", "role", "reader", "--verb=list", "--resource=pods", "-n", namespace)
    subject = f"--serviceaccount={namespace}:tester"
    kubectl("create", "rolebinding", "reader", "--role=reader", subject, "-n", namespace)

    def listed():
        try:
            return tester.list("v1/Pod", namespace) == []
        except ApiError as error:
            # The authorizer learns of the binding through its own watch.
            assert error.code == 403
            return False

    wait_until(listed, what="the permission to list pods")
    with pytest.raises(ApiError) as refused:
        tester.list("v1/Secret", namespace)
    assert refused.value.code == 403


def test_children_of_a_new_kind_are_collected_once_it_is_known(shared_cluster, namespace):
    kube = shared_cluster.kube
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
    }
    group = f"{namespace}.example.org"
    kube.create(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"things.{group}"},
            "spec": {
                "group": group,
                "names": {"kind": "Thing", "plural": "things"},
                "scope": "Namespaced",
                "versions": [version],
            },
        }
    )
    shared_cluster.kubectl("wait", "--for=condition=Established", f"crd/things.{group}")
    shared_cluster.learn_kinds()
    metadata = {"name": "owner", "namespace": namespace}
    owner = kube.create({"apiVersion": f"{group}/v1", "kind": "Thing", "metadata": metadata})
    reference = {
        "apiVersion": f"{group}/v1",
        "kind": "Thing",
        "name": "owner",
        "uid": owner["metadata"]["uid"],
    }
    child = {"name": "child", "namespace": namespace, "ownerReferences": [reference]}
    kube.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": child})
    kube.delete(f"{group}/v1/Thing", "owner", namespace)
    kube.wait_gone("v1/ConfigMap", "child", namespace, timeout_seconds=10)
    kube.delete("CustomResourceDefinition", f"things.{group}")
