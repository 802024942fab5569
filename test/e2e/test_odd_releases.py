# SPDX-License-Identifier: Apache-2.0
"""Releases of the real helm-operator and of Helm 3 whose objects server-side apply refuses, or
whose fields exclude each other: Chartwright takes them over as they are, repairs and upgrades them.

One run of helm-operator installs all, and one of Chartwright goes on with them.
"""

import copy
import dataclasses
import json

import pytest

from e2e import raw_chart, session
from e2e.custom_resource import (
    DEPLOYMENT,
    POD,
    WIDGET,
    CustomResource,
    is_ready,
    remove_all,
)
from e2e.raw_chart import NAME, deployment, manifest
from e2e.releases import deployed
from e2e.test_migration import Project, identity, wait_deployed
from e2e.test_misfits import (
    LEFT_OUT,
    SKEW,
    config_map,
    containers,
    definition,
    is_served,
    pod_of,
    service,
    with_place,
)
from e2e.test_unions import (
    EXEC,
    HTTP,
    REFERENCE,
    TO_RESOURCE,
    TO_SERVICE,
    autoscaler,
    budget,
    contains,
    in_container,
    in_pod,
    ingress,
    kind_of,
    pods,
    workload,
)
from harness.kube import PATCH_TYPES, wait_until

ACCOUNT = "chartwright-e2e-odd-releases"


@dataclasses.dataclass(frozen=True)
class Odd:
    """An object of a release, what somebody does to three of its fields, and its next form.

    `told` is what the schema does not take of it.
    """

    obj: dict
    patch: dict
    after: dict
    form: str = "strategic"
    told: str = ""


def with_image(obj: dict) -> dict:
    """Returns a copy of a workload with the next image."""
    after = copy.deepcopy(obj)
    pod_of(after)["containers"][0]["image"] = "nginx:2"
    return after


def skew(**spec) -> dict:
    """Returns an object of a kind whose CRD in the cluster knows `a` alone."""
    return {
        "apiVersion": "misfits.example.com/v1",
        "kind": "Skew",
        "metadata": {"name": NAME, "labels": {"x": "1", "y": "1"}},
        "spec": spec,
    }


def one_container(**container) -> dict:
    """Returns a Deployment with minReadySeconds and a container."""
    return deployment({"containers": containers(container)}, minReadySeconds=1, replicas=1)


def spec(**members) -> dict:
    """Returns a patch of a spec."""
    return {"spec": members}


def drift_of(**container) -> dict:
    """Returns a patch of two fields of a Deployment of `one_container`, and of its container."""
    patch = in_pod(containers=[{"name": "c0", "image": "nginx:0", **container}])
    patch["spec"].update(replicas=3, minReadySeconds=2)
    return patch


def of_class(obj: dict) -> dict:
    """Returns an Ingress with a class; else it may get the default of the cluster."""
    return {**obj, "spec": {**obj["spec"], "ingressClassName": "a"}}


UNKNOWN = one_container(podAnnotations={"a": "b"})
VARIABLES = one_container(env=[{"name": "A", "value": "1"}, {"name": "A", "value": "2"}])
PORTS = one_container(
    ports=[{"containerPort": 80, "name": name} for name in ("x", "y")],
)
PULLS = deployment(
    {"containers": containers({}), "imagePullSecrets": [{"name": "p"}, {"name": "p"}]},
    minReadySeconds=1,
    replicas=1,
)
IN_A = 'spec.template.spec.containers[name="c0"]'
MISFITS = {
    "fields-of-pods": Odd(UNKNOWN, drift_of(), with_image(UNKNOWN), told=f"{IN_A}.podAnnotations"),
    "field-of-a-service": Odd(
        service(labels={"a": "b"}, selector={"a": "1", "b": "1"}, sessionAffinity="ClientIP"),
        spec(selector={"a": "0", "b": "0"}, sessionAffinity="None", sessionAffinityConfig=None),
        service(labels={"a": "b"}, selector={"a": "2", "b": "1"}, sessionAffinity="ClientIP"),
        "merge",
        "spec.labels",
    ),
    "older-definition": Odd(
        skew(a="1", b="2"),
        {"metadata": {"labels": {"x": "0", "y": "0"}}, "spec": {"a": "0"}},
        skew(a="3", b="2"),
        "merge",
        "spec.b",
    ),
    "variable-twice": Odd(
        VARIABLES, drift_of(), with_image(VARIABLES), told=f'{IN_A}.env[name="A"], but for the last'
    ),
    "port-twice": Odd(
        PORTS,
        drift_of(),
        with_image(PORTS),
        told=f'{IN_A}.ports[containerPort=80,protocol="TCP"], but for the last',
    ),
    "pull-secret-twice": Odd(
        PULLS,
        drift_of(),
        with_image(PULLS),
        told='spec.template.spec.imagePullSecrets[name="p"], but for the last',
    ),
    "finalizer-twice": Odd(
        {
            **config_map(a="1", b="1", c="1"),
            "metadata": {"name": NAME, "finalizers": ["x.example.com/f", "x.example.com/f"]},
        },
        {"data": {"a": "0", "b": "0", "c": "0"}},
        config_map(a="2", b="1", c="1"),
        "merge",
        'metadata.finalizers[="x.example.com/f"], but for the last',
    ),
}

ROLLING = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2, "maxUnavailable": 1}}
STEPS = {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}
UNIONS = {
    "strategy": Odd(
        deployment(strategy=ROLLING, replicas=1, minReadySeconds=1),
        spec(replicas=3, minReadySeconds=2, strategy={"rollingUpdate": {"maxSurge": 5}}),
        deployment(strategy={"type": "Recreate"}, replicas=1, minReadySeconds=1),
    ),
    "recreate": Odd(
        deployment(strategy={"type": "Recreate"}, replicas=1, minReadySeconds=1),
        spec(replicas=3, minReadySeconds=2, strategy=ROLLING),
        deployment(strategy=ROLLING, replicas=1, minReadySeconds=1),
    ),
    "stages": Odd(
        workload("StatefulSet", serviceName="s", updateStrategy=STEPS, replicas=1),
        spec(replicas=2, minReadySeconds=0, updateStrategy={"rollingUpdate": {"partition": 3}}),
        workload("StatefulSet", serviceName="s", updateStrategy={"type": "OnDelete"}, replicas=1),
    ),
    "volume": Odd(
        deployment({"volumes": [{"name": "v", "configMap": {"name": "c"}}]}, replicas=1),
        {
            "spec": {
                "replicas": 3,
                **in_pod(
                    containers=[{"name": "a", "image": "nginx:0"}],
                    volumes=[{"name": "v", "configMap": None, "hostPath": {"path": "/x"}}],
                )["spec"],
            }
        },
        deployment({"volumes": [{"name": "v", "emptyDir": {}}]}, replicas=1),
    ),
    "probe": Odd(
        pods(readinessProbe={"httpGet": HTTP}, livenessProbe={"exec": EXEC}, workingDir="/a"),
        in_container(
            readinessProbe={"httpGet": None, "tcpSocket": {"port": 80}},
            livenessProbe={"exec": None, "grpc": {"port": 80}},
            workingDir="/b",
        ),
        pods(readinessProbe={"exec": EXEC}, livenessProbe={"httpGet": HTTP}, workingDir="/a"),
    ),
    "variable": Odd(
        pods(env=[{"name": "B", "valueFrom": REFERENCE}, {"name": "C", "value": "x"}]),
        in_container(
            image="nginx:0",
            env=[
                {"name": "B", "value": "hack", "valueFrom": None},
                {"name": "C", "value": None, "valueFrom": REFERENCE},
            ],
        ),
        pods(env=[{"name": "B", "value": "y"}, {"name": "C", "valueFrom": REFERENCE}]),
    ),
    "budget": Odd(
        budget(minAvailable=1, unhealthyPodEvictionPolicy="AlwaysAllow"),
        spec(
            minAvailable=None,
            maxUnavailable=2,
            unhealthyPodEvictionPolicy="IfHealthyBudget",
            selector={"matchLabels": {"app": "x"}},
        ),
        budget(maxUnavailable=1, unhealthyPodEvictionPolicy="AlwaysAllow"),
        "merge",
    ),
    "metrics": Odd(
        autoscaler({"type": "Utilization", "averageUtilization": 50}),
        spec(
            maxReplicas=9,
            minReplicas=5,
            metrics=autoscaler({"type": "AverageValue", "averageValue": "1Gi"})["spec"]["metrics"],
        ),
        autoscaler({"type": "AverageValue", "averageValue": "2Gi"}),
        "merge",
    ),
    "backend": Odd(
        of_class(ingress(TO_SERVICE)),
        {"spec": {"ingressClassName": "x", "defaultBackend": {**TO_RESOURCE, "service": None}}},
        of_class(ingress(TO_RESOURCE)),
        "merge",
    ),
    "service": Odd(
        service(clusterIP="None", type="ClusterIP", selector={"a": "1"}),
        spec(
            type="ExternalName",
            externalName="x.example.com",
            clusterIP=None,
            clusterIPs=None,
            ports=None,
        ),
        {**service(), "spec": {"type": "ExternalName", "externalName": "y.example.com"}},
        "merge",
    ),
    "service-for-nodes": Odd(
        service(
            type="NodePort",
            ports=[{"port": 80, "nodePort": 30877}],
            selector={"a": "1"},
            sessionAffinity="ClientIP",
        ),
        spec(
            type="ClusterIP",
            selector={"a": "0"},
            sessionAffinity="None",
            sessionAffinityConfig=None,
        ),
        service(type="ClusterIP", selector={"a": "1"}),
        "merge",
    ),
}
RELEASES = {**MISFITS, **UNIONS}

FEW = deployment({"containers": containers({"workingDir": "/a"})}, replicas=2, minReadySeconds=1)
SELECTORS = {"selector": {"a": "1", "b": "1"}, "sessionAffinity": "ClientIP"}


def with_replicas(number: int) -> dict:
    """Returns a Deployment with so many replicas."""
    return {**FEW, "spec": {**FEW["spec"], "replicas": number}}


# helm-operator has upgraded these from `obj` to a form with an integer of more than 32 bits, which
# the API server has cut.
WIDE = {
    "many-replicas": (
        with_replicas(4294967299),
        Odd(
            FEW,
            drift_of(workingDir="/b"),
            with_replicas(1),
            told="spec.replicas is 4294967299, of which the API server keeps 3",
        ),
        with_replicas(3),
    ),
    "high-port": (
        service(**SELECTORS, ports=[{"port": 4294967376, "targetPort": 8080}]),
        Odd(
            service(**SELECTORS, ports=[{"port": 81, "targetPort": 8080}]),
            spec(selector={"a": "0", "b": "0"}, sessionAffinity="None", sessionAffinityConfig=None),
            service(**SELECTORS, ports=[{"port": 82, "targetPort": 8080}]),
            "merge",
            "spec.ports[].port is 4294967376, of which the API server keeps 80",
        ),
        service(**SELECTORS, ports=[{"port": 80, "targetPort": 8080}]),
    ),
}
WIDE_RELEASES = {name: case for name, (_, case, _) in WIDE.items()}
# Real Helm installs these once more.
BY_HELM = {f"helm-{name}": case for name, case in MISFITS.items()}


def named(obj: dict, name: str) -> dict:
    """Returns the object as that release has it."""
    return json.loads(json.dumps(obj).replace(NAME, name))


def taken(obj: dict, case: Odd) -> dict:
    """Returns the part of an object that the API server takes: no misfits, no metadata."""
    parts = {key: copy.deepcopy(obj[key]) for key in ("data", "spec") if key in obj}
    if case.told in ("spec.labels", "spec.b"):
        parts["spec"].pop(case.told.removeprefix("spec."), None)
    if kind_of(obj) == DEPLOYMENT:
        pod_of(parts)["containers"][0].pop("podAnnotations", None)
        leave_last(pod_of(parts)["containers"][0], "env", "name")
        leave_last(pod_of(parts)["containers"][0], "ports", "containerPort")
        leave_last(pod_of(parts), "imagePullSecrets", "name")
    return parts


def leave_last(obj: dict, name: str, key: str) -> None:
    """Leaves the last of the items of a list that have the same key."""
    if name in obj:
        obj[name] = list({item[key]: item for item in obj[name]}.values())


class Releases:
    """All releases, and what their objects were before Chartwright saw them."""

    def __init__(self, cluster, folder, kubeconfig):
        self.cluster = cluster
        self.namespace = cluster.create_namespace("odd")
        self.project = Project(folder, kubeconfig, self.namespace)
        self.project.write(
            "1.0.0", {"templates/raw.yaml": raw_chart.TEMPLATE, "values.yaml": 'manifest: ""\n'}
        )
        self.chart = folder / "chart"
        self.before = {}
        self.process = None

    def widget(self, name: str) -> CustomResource:
        """Returns the custom resource of a release."""
        return CustomResource(self.cluster, WIDGET, self.namespace, name)

    def live(self, name: str, case: Odd) -> dict:
        """Returns the object of a release."""
        return self.cluster.kube.get(kind_of(case.obj), name, self.namespace)

    def drift(self, name: str, case: Odd) -> dict:
        """Has somebody change the object of a release; returns what it is then."""
        path = self.cluster.kube.path(kind_of(case.obj), name, self.namespace)
        body = named(case.patch, name)
        return self.cluster.kube.request("PATCH", path, body, content_type=PATCH_TYPES[case.form])

    def wait_like(self, name: str, case: Odd, parts: dict) -> None:
        """Blocks until the object of a release has all that `parts` have."""
        what = f"{name} being {parts}"
        self.widget(name).wait_child(
            kind_of(case.obj), name, lambda obj: contains(obj, parts), what=what
        )

    def pods(self, name: str) -> dict[str, list]:
        """Returns the pods of a release by uid, with their starts."""
        found = self.cluster.kube.list(POD, self.namespace, labels=f"app={name}")
        return {each["metadata"]["uid"]: each["metadata"].get("generation") for each in found}

    def install(self, helm) -> None:
        """Has helm-operator and Helm install, and end."""
        for name, case in {**RELEASES, **WIDE_RELEASES}.items():
            self.widget(name).create(manifest(case.obj))
        self.project.run_helm_operator(self._wait_installed)
        for name, (wide, _, _) in WIDE.items():
            self.widget(name).patch(manifest(wide))
        self.project.run_helm_operator(self._wait_upgraded)
        for name, case in BY_HELM.items():
            values = self.chart.parent / f"{name}.json"
            values.write_text(json.dumps(manifest(case.obj)), encoding="utf-8")
            helm("install", name, str(self.chart), "--values", str(values))
            self.widget(name).create(manifest(case.obj))
        for name, case in {**RELEASES, **WIDE_RELEASES, **BY_HELM}.items():
            self.before[name] = (self.live(name, case), self.pods(name))

    def _wait_installed(self, process) -> None:
        # One that has found nothing to do does not begin anew. Not each line is JSON.
        def settled() -> bool:
            text = process.log_path.read_text(encoding="utf-8")
            at_rest = [line for line in text.split("\n") if '"Reconciled release"' in line]
            names = [*RELEASES, *WIDE_RELEASES]
            return all(any(f'"name":"{name}"' in line for line in at_rest) for name in names)

        wait_until(settled, what="each release of helm-operator at rest")
        for name in RELEASES:
            assert deployed(self.widget(name)) == [1]

    def _wait_upgraded(self, _process) -> None:
        for name in WIDE_RELEASES:
            wait_deployed(self.widget(name), 2)


@pytest.fixture(scope="module", name="releases")
def install_releases(cluster, tmp_path_factory):
    """All releases, whose operator is Chartwright by now."""
    if cluster.external:
        pytest.skip("installs a CRD and plays other operators")
    cluster.kubectl("apply", "-f", "-", input=json.dumps(definition(1)))
    cluster.kubectl("wait", "--for=condition=Established", "crd/skews.misfits.example.com")
    cluster.learn_kinds()
    wait_until(lambda: is_served(cluster, SKEW), what="the kind being served")
    with session.admin_account(cluster, ACCOUNT) as kubeconfig:
        made = Releases(cluster, tmp_path_factory.mktemp("odd"), kubeconfig)
        made.install(session.helm_in(cluster, made.namespace))
        with made.project.chartwright() as made.process:
            yield made
            remove_all(cluster, WIDGET, made.namespace)
    cluster.abandon_namespace(made.namespace)


@pytest.mark.parametrize("name", {**RELEASES, **BY_HELM})
def test_a_release_is_taken_over_repaired_and_upgraded(releases, name):
    case = {**RELEASES, **BY_HELM}[name]
    widget = releases.widget(name)
    before, pods_before = releases.before[name]
    widget.wait_revision(1)
    widget.wait_ready()
    assert identity(releases.live(name, case)) == identity(before)
    assert releases.pods(name) == pods_before

    settled = taken(before, case)
    assert not contains(releases.drift(name, case), settled)
    releases.wait_like(name, case, settled)
    told = widget.wait_condition(LEFT_OUT, "True" if case.told else None).get("message", "")
    place = "project/templates/raw.yaml:1"
    named_parts = f"{releases.namespace}/{name}: {with_place(case.told, place)}"
    assert told.endswith(named_parts if case.told else "")
    widget.wait(is_ready, what="Ready after the repair")

    widget.patch(manifest(case.after))
    widget.wait_revision(2)
    releases.wait_like(name, case, taken(named(case.after, name), case))
    widget.wait_ready()
    assert releases.live(name, case)["metadata"]["uid"] == before["metadata"]["uid"]
    assert deployed(widget) == [2]


@pytest.mark.parametrize("name", WIDE)
def test_a_release_with_an_integer_that_was_cut_is_repaired_and_upgraded(releases, name):
    _, case, cut = WIDE[name]
    widget = releases.widget(name)
    before, pods_before = releases.before[name]
    widget.wait_revision(2)
    widget.wait_ready()
    assert identity(releases.live(name, case)) == identity(before)
    assert releases.pods(name) == pods_before
    assert contains(before["spec"], named(cut, name)["spec"])

    releases.drift(name, case)
    releases.wait_like(name, case, taken(named(cut, name), case))
    widget.wait(is_ready, what="Ready after the repair")
    assert case.told in widget.wait_condition(LEFT_OUT, "True", "NotInSchema")["message"]

    widget.patch(manifest(case.after))
    widget.wait_revision(3)
    releases.wait_like(name, case, taken(named(case.after, name), case))
    widget.wait_condition(LEFT_OUT, None)
    assert releases.live(name, case)["metadata"]["uid"] == before["metadata"]["uid"]
