# SPDX-License-Identifier: Apache-2.0
"""`Ready` names the cause for which a child is not ready: its pods', their claims', a refusal's."""

import dataclasses
import json

import pytest

from e2e import meters, raw_chart, session
from e2e.custom_resource import condition
from harness.kube import wait_until

POD = "v1/Pod"
PENDING = {"chartwright.io/test-pod-state": "pending"}
CRASHING = {"chartwright.io/test-pod-state": "crashloop"}
CLAIM = {
    "accessModes": ["ReadWriteOnce"],
    "storageClassName": "nowhere",
    "resources": {"requests": {"storage": "1Gi"}},
}


@dataclasses.dataclass
class Row:
    """An object that does not get ready, and the reason and message of `Ready`."""

    obj: dict
    code: str
    says: str
    # The status that its kubelet gives the pod; None where the controllers do it all.
    status: dict | None = None
    # An Event about the pod: its reason and message.
    event: tuple[str, str] | None = None


def web(annotations: dict | None = None, **pod) -> dict:
    """Returns a Deployment; `pod` adds to the spec of its pods."""
    found = raw_chart.deployment(pod=pod)
    found["spec"]["template"]["metadata"]["annotations"] = annotations or {}
    return found


def named(kind: str, api_version: str, **spec) -> dict:
    """Returns an object of a kind, named as the release."""
    metadata = {"name": raw_chart.NAME}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def stateful() -> dict:
    """Returns a StatefulSet whose claim gets no volume."""
    template = web()["spec"]["template"]
    return named(
        "StatefulSet",
        "apps/v1",
        selector={"matchLabels": {"app": raw_chart.NAME}},
        serviceName="none",
        template=template,
        volumeClaimTemplates=[{"metadata": {"name": "data"}, "spec": CLAIM}],
    )


def job() -> dict:
    """Returns a Job that is not tried again."""
    template = web(PENDING, restartPolicy="Never")["spec"]["template"]
    return named("Job", "batch/v1", backoffLimit=0, template=template)


def container(ready: bool = False, restarts: int = 0, **states: dict) -> dict:
    """Returns the status of a pod with that container."""
    found = {"name": "a", "image": "nginx:1", "imageID": "", "ready": ready}
    return {"containerStatuses": [{**found, "restartCount": restarts, **states}]}


def waiting(reason: str, message: str = "", **more) -> dict:
    """Returns the status of a pod whose container waits."""
    return container(state={"waiting": {"reason": reason, "message": message}}, **more)


UNREADY = [
    {"type": "PodScheduled", "status": "True"},
    {"type": "Ready", "status": "False", "reason": "ContainersNotReady"},
]
ENDED = {"exitCode": 137, "reason": "OOMKilled"}
ROWS = {
    "crash": Row(web(CRASHING), "PodCrashLooping", "CrashLoopBackOff (exit 1"),
    "image": Row(
        web(PENDING),
        "ImagePull",
        "ImagePullBackOff (image nginx:1)",
        waiting("ImagePullBackOff", 'Back-off pulling image "nginx:1"'),
    ),
    "config": Row(
        web(PENDING),
        "ConfigMissing",
        'secret "keys" not found',
        waiting("CreateContainerConfigError", 'secret "keys" not found'),
    ),
    "memory": Row(
        web(PENDING),
        "OutOfMemory",
        "OOMKilled",
        waiting("CrashLoopBackOff", restarts=5, lastState={"terminated": ENDED}),
    ),
    "mount": Row(
        web(PENDING),
        "ConfigMissing",
        'secret "keys" not found',
        waiting("ContainerCreating"),
        ("FailedMount", 'MountVolume.SetUp failed for volume "v" : secret "keys" not found'),
    ),
    "probe": Row(
        web(PENDING),
        "ProbeFailing",
        "readiness probe: HTTP status 503",
        {"phase": "Running", "conditions": UNREADY, **container(state={"running": {}})},
        ("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503"),
    ),
    "nowhere": Row(web(nodeSelector={"disk": "none"}), "Unschedulable", "didn't match Pod's node"),
    "gated": Row(web(schedulingGates=[{"name": "a.b/c"}]), "SchedulingGated", "a.b/c"),
    "account": Row(web(serviceAccountName="ghost"), "ConfigMissing", 'serviceaccount "ghost"'),
    "claim": Row(named("PersistentVolumeClaim", "v1", **CLAIM), "ClaimPending", "nowhere"),
    "stateful": Row(stateful(), "ClaimPending", "nowhere"),
    "job": Row(
        job(),
        "ContainerFailed",
        "BackoffLimitExceeded: Error (exit 3)",
        {"phase": "Failed", **container(state={"terminated": {"exitCode": 3}})},
    ),
    "balancer": Row(
        named("Service", "v1", type="LoadBalancer", ports=[{"port": 80}]),
        "LoadBalancerPending",
        "no address yet",
    ),
}


@pytest.fixture(scope="module", name="raw")
def raw_operator(cluster, shared_operators, tmp_path_factory):
    """The operator of a chart that renders the manifest of its custom resource."""
    with raw_chart.started(cluster, tmp_path_factory.mktemp("causes")) as operator:
        shared_operators["raw"] = operator
        yield operator
    del shared_operators["raw"]


def pod_of(cluster, namespace: str, release: str) -> dict:
    """Waits until a controller has made a pod of the release, and returns it."""
    labels = "job-name=" if release == "job" else "app="
    return wait_until(
        lambda: next(iter(cluster.kube.list(POD, namespace, labels=labels + release)), None),
        what=f"a pod of {release}",
    )


def play_kubelet(cluster, namespace: str, release: str, row: Row) -> None:
    """Reports of the pod what a kubelet would."""
    pod = pod_of(cluster, namespace, release)
    metadata = {"name": pod["metadata"]["name"], "namespace": namespace}
    patch = json.dumps({"status": row.status})
    merge = ("--subresource=status", "--type=merge", "-p", patch)
    cluster.kubectl("-n", namespace, "patch", "pod", metadata["name"], *merge)
    if row.event is None:
        return
    reason, message = row.event
    involved = {
        "apiVersion": "v1",
        "kind": "Pod",
        **metadata,
        "uid": pod["metadata"]["uid"],
        "fieldPath": "spec.containers{a}",
    }
    cluster.kube.create(
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": f"{release}-{reason.lower()}", "namespace": namespace},
            "involvedObject": involved,
            "type": "Warning",
            "reason": reason,
            "message": message,
        }
    )


def wait_cause(resource, code: str, says: str) -> dict:
    """Blocks until `Ready` has that reason and these words; returns the object."""

    def holds(obj: dict) -> bool:
        ready = condition(obj, "Ready")
        return ready.get("reason") == code and says in ready["message"]

    found = resource.wait(holds, what=f"Ready with {code}: {says}")
    assert condition(found, "Ready")["status"] == "False"
    return found


def test_ready_names_the_cause(raw, cluster, namespace):
    made = {name: raw_chart.create(cluster, namespace, name, row.obj) for name, row in ROWS.items()}
    for name, row in ROWS.items():
        if row.status is not None:
            play_kubelet(cluster, namespace, name, row)
    for name, row in ROWS.items():
        found = wait_cause(made[name], row.code, row.says)
        [child] = found["status"]["resources"]
        assert child["cause"] == row.code


@pytest.mark.parametrize("policy", ["quota", "security"])
def test_ready_names_what_refuses_pods(raw, cluster, namespace, policy):
    if policy == "quota":
        cluster.kube.create(
            {
                "apiVersion": "v1",
                "kind": "ResourceQuota",
                "metadata": {"name": "none", "namespace": namespace},
                "spec": {"hard": {"pods": "0"}},
            }
        )
        code, says = "QuotaExceeded", "exceeded quota: none"
    else:
        label = "pod-security.kubernetes.io/enforce=restricted"
        cluster.kubectl("label", "namespace", namespace, label)
        code, says = "AdmissionDenied", 'violates PodSecurity "restricted'
    wait_cause(raw_chart.create(cluster, namespace, "one", web()), code, says)


def test_a_search_is_bounded_and_ends_with_the_cause(raw, own_cluster, namespace):
    broken = raw_chart.create(own_cluster, namespace, "one", web(CRASHING))
    mark = own_cluster.audit.mark()
    wait_cause(broken, "PodCrashLooping", "CrashLoopBackOff")
    user = next(
        request.user
        for request in own_cluster.audit.requests(mark, resource="pods", namespace=namespace)
        if request.user.startswith(f"system:serviceaccount:{session.SYSTEM}:")
    )

    def asked(since) -> list[str]:
        return [
            request.uri
            for request in own_cluster.audit.requests(since, user=user, namespace=namespace)
            if request.verb == "list" and "limit=50" in request.uri
        ]

    lists = asked(mark)
    assert lists, "the search lists pods"
    assert all("labelSelector=" in uri or "fieldSelector=" in uri for uri in lists), lists

    broken.patch(raw_chart.manifest(web()))
    assert condition(broken.wait_ready(), "Ready")["message"] == "all children are ready"
    assert "cause" not in broken.status()["resources"][0]
    meters.wait_at_rest(raw)
    mark = own_cluster.audit.mark()
    broken.touch()
    meters.wait_at_rest(raw)
    assert asked(mark) == []
