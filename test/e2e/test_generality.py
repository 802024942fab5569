# SPDX-License-Identifier: Apache-2.0
"""The operator/ folders of ten charts of test/charts: what each declares happens, under generated
roles.
"""

import datetime
import functools
import json
import re

import pytest

from e2e import meters
from e2e.custom_resource import (
    CLAIM,
    CONFIGMAP,
    DEPLOYMENT,
    POD,
    SECRET,
    SERVICE,
    STATEFULSET,
    CustomResource,
    capacity,
    requested,
)
from e2e.session import SYSTEM, is_served, user_of
from e2e.test_generate import generate
from e2e.uptime import Uptime
from harness.audit import Mark
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions
from harness.paths import REPOSITORY

GROUP = "generality.example.com"
ACCOUNT = "generality"
KINDS = {
    "casc": "BuildServer",
    "gateway": "Gateway",
    "netguard": "NetGuard",
    "onecall": "App",
    "pipes": "LogPipe",
    "queues": "QueueCluster",
    "scaffold": "Scaffold",
    "sqlstore": "SqlStore",
    "watchtower": "Watchtower",
    "webshop": "WebShop",
}
DAEMONSET = "apps/v1/DaemonSet"
JOB = "batch/v1/Job"
INGRESS_CLASS = "networking.k8s.io/v1/IngressClass"
REPLICASET = "apps/v1/ReplicaSet"
PRIORITY_CLASS = "scheduling.k8s.io/v1/PriorityClass"
RULE = "monitoring.coreos.com/v1/PrometheusRule"
COLLECTOR = "system:serviceaccount:kube-system:generic-garbage-collector"

FILES = REPOSITORY / "test" / "e2e" / "generality"


@pytest.fixture(scope="module")
def uptime():
    """An uptime service without monitors."""
    with Uptime() as server:
        yield server


def others(cluster, namespace: str, name: str, *arguments: str) -> bool:
    """Creates an object of others.yaml, and reports whether the server accepts it."""
    text = (FILES / "others.yaml").read_text(encoding="utf-8")
    chosen = next(part for part in text.split("---\n") if f"\n  name: {name}\n" in part)
    done = cluster.kubectl.run("create", "-n", namespace, "-f", "-", *arguments, input=chosen)
    return done.returncode == 0


@pytest.fixture(scope="module")
def operator(cluster, uptime, tmp_path_factory):
    """One operator with the ten charts, whose account has the generated roles and no other."""
    watches = tmp_path_factory.mktemp("generality") / "watches.yaml"
    watch = {"group": GROUP, "version": "v1"}
    entries = [
        {**watch, "kind": kind, "chart": f"test/charts/{chart}"} for chart, kind in KINDS.items()
    ]
    # The namespace that it guards is there before it.
    next(e for e in entries if e["kind"] == KINDS["netguard"])["adoption"] = "author"
    next(e for e in entries if e["kind"] == "App")["overrideValues"] = {
        "uptime.url": uptime.url,
        "uptime.resync": "1s",
    }
    watches.write_text(json.dumps(entries), encoding="utf-8")
    crds = generate("crd", str(watches))
    roles = generate("rbac", str(watches), "--name", ACCOUNT)
    cluster.kubectl("apply", "-f", "-", input=crds)
    cluster.kubectl("apply", "-f", "-", input=roles)
    cluster.kubectl("create", "serviceaccount", ACCOUNT, "-n", SYSTEM)
    cluster.kubectl("apply", "-f", str(FILES / "cluster.yaml"))
    cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
    cluster.learn_kinds()
    for kind in KINDS.values():
        wait_until(lambda kind=kind: is_served(cluster, f"{GROUP}/v1/{kind}"), what=kind)
    dry_run = ("default", "incomplete", "--dry-run=server")
    wait_until(lambda: others(cluster, *dry_run), what="the admission policy")
    kubeconfig = cluster.service_account_kubeconfig(SYSTEM, ACCOUNT)
    options = {"watches_file": watches, "arguments": ("--reconcile-period=0",)}
    with Operator(OperatorOptions(kubeconfig, **options)) as process:
        yield process
    cluster.kubectl("delete", "--wait=false", "-f", str(FILES / "cluster.yaml"))
    cluster.kubectl("delete", "--wait=false", "-f", "-", input=crds)
    cluster.kubectl("delete", "--wait=false", "-f", "-", input=roles)
    cluster.kubectl("delete", "serviceaccount", ACCOUNT, "-n", SYSTEM)


@pytest.fixture
def release(cluster, operator, namespace):
    """`release(CHART, NAME, SPEC)` creates a custom resource of that chart, until the test ends."""
    made = []

    def create(chart: str, name: str, spec: dict | None = None, **options) -> CustomResource:
        kind = f"{GROUP}/v1/{KINDS[chart]}"
        made.append(CustomResource(cluster, kind, namespace, name))
        return made[-1].create(spec, **options)

    yield create
    for one in made:
        one.delete()
        one.wait_gone()


def wait_status(release, **fields) -> dict:
    """Waits until the status has these fields; returns the status."""
    return release.wait(
        lambda obj: all(obj.get("status", {}).get(k) == v for k, v in fields.items()),
        what=f"the status {fields}",
    )["status"]


def image(obj: dict) -> str:
    return obj["spec"]["template"]["spec"]["containers"][0]["image"]


def is_orphan(obj: dict) -> bool:
    """Reports whether nothing owns an object."""
    return not obj["metadata"].get("ownerReferences")


def test_scaffold_leaves_its_replicas_to_an_autoscaler(release, operator):
    web = release("scaffold", "web", {"replicaCount": 2})
    wait_status(web, pods={"total": 2, "running": 2})
    scale = {"spec": {"replicas": 4}}
    web.kube.patch(DEPLOYMENT, "web-scaffold", web.namespace, scale, subresource="scale")
    wait_status(web, pods={"total": 4, "running": 4})
    web.patch({"image": {"tag": "2"}, "service": {"port": 8080}})
    web.wait_child(DEPLOYMENT, "web-scaffold", lambda o: image(o).endswith(":2"))
    wait_status(web, url=f"http://web-scaffold.{web.namespace}.svc:8080")
    web.wait_ready()
    meters.wait_at_rest(operator)
    assert web.child(DEPLOYMENT, "web-scaffold")["spec"]["replicas"] == 4


DB_CLAIM = "data-db-sqlstore-0"


@pytest.fixture
def db(release):
    """A database on a volume of 2Gi, which was 1Gi at first, in revision 2."""
    disk = {"size": "1Gi", "storageClass": "standard"}
    spec = {"image": {"tag": "1"}, "primary": {"persistence": disk}}
    made = release("sqlstore", "db", spec)
    made.wait_ready()
    made.wait_child(CLAIM, DB_CLAIM, lambda o: capacity(o) == "1Gi", what="1Gi")
    before = made.child(STATEFULSET, "db-sqlstore")["metadata"]["uid"]
    made.patch({"image": {"tag": "2"}, "primary": {"persistence": {"size": "2Gi"}}})
    made.wait_child(CLAIM, DB_CLAIM, lambda o: capacity(o) == "2Gi", what="2Gi")
    wait_status(made, claims=[{"name": DB_CLAIM, "capacity": "2Gi"}])
    made.wait_revision(2)
    made.wait_ready()
    assert made.child(STATEFULSET, "db-sqlstore")["metadata"]["uid"] == before
    return made


def test_sqlstore_grows_its_claim_and_keeps_it_in_a_rollback(db):
    db.annotate(rollback_to="1")
    db.wait_condition("RolledBack", "True")
    db.wait_child(STATEFULSET, "db-sqlstore", lambda o: image(o).endswith(":1"), what="revision 1")
    held = db.wait_condition("FieldsHeld", "True", "ShrinkRefused")
    assert DB_CLAIM in held["message"] and "2Gi" in held["message"], held
    db.wait_ready()
    assert requested(db.child(CLAIM, DB_CLAIM)) == "2Gi"


def test_sqlstore_leaves_the_password_of_the_claims_that_stay(db):
    before = db.child(SECRET, "db-sqlstore")["metadata"]["uid"]
    db.delete()
    db.wait_gone()
    db.kube.wait_gone(STATEFULSET, "db-sqlstore", db.namespace)
    db.create({"primary": {"persistence": {"size": "2Gi", "storageClass": "standard"}}})
    db.wait_ready()
    assert db.child(SECRET, "db-sqlstore")["metadata"]["uid"] == before


def migration(**spec) -> dict:
    """Returns a Job for `extraDeploy`, which runs once for each version of the shop."""
    name = "{{ .Release.Name }}-migrate"
    container = {"name": "migrate", "image": "migrate:{{ .Values.image.tag }}"}
    pod = {"restartPolicy": "Never", "containers": [container]}
    # Pods of a Job that may take only a second do not even start.
    state = {"chartwright.io/test-pod-state": "pending"} if spec else {}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "annotations": {"chartwright.io/generate-name": f"{name}-"}},
        "spec": {"template": {"metadata": {"annotations": state}, "spec": pod}, **spec},
    }


def job_of(shop, *others: str) -> str:
    """Waits until the migration has another live name than these; returns it."""

    def live(obj: dict) -> str | None:
        return obj.get("status", {}).get("jobs", {}).get("shop-migrate")

    known = (None, *others)
    name = live(shop.wait(lambda obj: live(obj) not in known, what=f"a Job besides {others}"))
    assert re.fullmatch(r"shop-migrate-[a-z0-9]{5}", name), name
    return name


def test_webshop_replaces_a_job_under_a_generated_name(release):
    shop = release("webshop", "shop", {"image": {"tag": "1"}, "extraDeploy": [migration()]})
    first = job_of(shop)
    shop.wait_ready()
    shop.patch({"image": {"tag": "2"}})
    second = job_of(shop, first)
    assert image(shop.child(JOB, second)) == "migrate:2"
    shop.kube.wait_gone(JOB, first, shop.namespace)
    shop.wait_ready()


def test_webshop_tries_a_failed_job_again(release):
    failing = migration(activeDeadlineSeconds=1)
    shop = release("webshop", "shop", {"extraDeploy": [failing]})
    first = job_of(shop)
    job_of(shop, first)
    shop.kube.wait_gone(JOB, first, shop.namespace)


def test_webshop_refuses_to_shrink_its_claim_and_leaves_it_behind(release):
    shop = release("webshop", "shop", {"persistence": {"size": "2Gi"}})
    shop.wait_ready()
    shop.patch({"persistence": {"size": "1Gi"}, "service": {"ports": {"http": 81}}})
    held = shop.wait_condition("FieldsHeld", "True", "ShrinkRefused")
    assert "shop-webshop" in held["message"] and "1Gi" in held["message"], held
    shop.wait_child(SERVICE, "shop-webshop", lambda o: o["spec"]["ports"][0]["port"] == 81)
    shop.delete()
    shop.wait_gone()
    shop.kube.wait_gone(SERVICE, "shop-webshop", shop.namespace)
    claim = shop.child(CLAIM, "shop-webshop")
    assert requested(claim) == "2Gi" and "deletionTimestamp" not in claim["metadata"]


def test_gateway_is_ready_once_it_has_an_address(release, operator, cluster, namespace):
    name = f"gw-{namespace}"
    edge = release("gateway", "edge", {"controller": {"ingressClassResource": {"name": name}}})
    edge.wait_child(DEPLOYMENT, "edge-gateway", lambda o: o["status"].get("readyReplicas") == 1)
    meters.wait_at_rest(operator)
    waiting = edge.wait_condition("Ready", "False", "Progressing")["message"]
    assert "Service" in waiting and "Deployment" not in waiting, waiting
    status = {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}}}
    cluster.kube.patch(SERVICE, "edge-gateway", namespace, status, subresource="status")
    edge.wait_ready()
    wait_status(edge, address="192.0.2.7")

    before = cluster.kube.get(INGRESS_CLASS, name)
    edge.patch({"controller": {"ingressClassResource": {"controllerValue": "example.com/other"}}})
    edge.wait_ready()
    after = cluster.kube.get(INGRESS_CLASS, name)
    assert after["spec"]["controller"] == "example.com/other"
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    pods = cluster.kube.list(POD, namespace, labels="app=edge-gateway")
    (pod,) = [one for one in pods if "deletionTimestamp" not in one["metadata"]]
    edge.delete()
    edge.wait_gone()
    edge.kube.wait_gone(DEPLOYMENT, "edge-gateway", namespace)
    edge.wait_child(REPLICASET, pod["metadata"]["ownerReferences"][0]["name"], is_orphan)
    assert edge.child(POD, pod["metadata"]["name"])["metadata"]["uid"] == pod["metadata"]["uid"]
    assert "deletionTimestamp" not in cluster.kube.get(INGRESS_CLASS, name)["metadata"]
    cluster.kube.delete(INGRESS_CLASS, name)


def accept(tower, rule: dict) -> None:
    """Says that Prometheus uses the rules as they are."""
    name, generation = rule["metadata"]["name"], rule["metadata"]["generation"]
    seen = {"type": "Accepted", "status": "True", "observedGeneration": generation}
    status = {"status": {"bindings": [{"conditions": [seen]}]}}
    tower.kube.patch(RULE, name, tower.namespace, status, subresource="status")


def test_watchtower_holds_a_rollout_until_rules_are_accepted(release, operator):
    # Without dashboards, which have no part in a rollout of rules.
    tower = release("watchtower", "tower", {"dashboards": {"enabled": False}})

    def rules(generation: int) -> list[dict]:
        found = tower.kube.list(RULE, tower.namespace)
        return [rule for rule in found if rule["metadata"]["generation"] == generation]

    for generation in (1, 2):
        (first,) = wait_until(functools.partial(rules, generation), what="a group of rules")
        meters.wait_at_rest(operator)
        assert len(rules(generation)) == 1, "both groups were written at once"
        tower.wait_condition("Ready", "False")
        accept(tower, first)
        wait_until(lambda now=generation: len(rules(now)) == 2, what="the other group")
        for rule in rules(generation):
            accept(tower, rule)
        tower.wait_ready()
        wait_status(tower, dashboards=0, ruleGroups=["inline", "node"])
        if generation == 1:
            tower.patch({"threshold": 20, "defaultRules": {"disabled": {"NodeDown": False}}})


def test_pipes_restarts_the_shippers_that_others_run(release, cluster, namespace):
    assert others(cluster, namespace, "shipper")
    logs = release("pipes", "logs")
    wait_status(logs, shippers=0, outputs=["es"])

    def checksum(obj: dict) -> str | None:
        marks = obj["spec"]["template"]["metadata"].get("annotations", {})
        return marks.get("pipes.example.com/checksum")

    marked = {"metadata": {"labels": {"pipes.example.com/config": "logs"}}}
    cluster.kube.patch(DAEMONSET, "shipper", namespace, marked)
    wait_status(logs, shippers=1)
    first = checksum(logs.wait_child(DAEMONSET, "shipper", checksum, what="a checksum"))
    logs.patch({"sample": "[a=2]"})

    def changed(obj):
        return checksum(obj) not in (None, first)

    logs.wait_child(DAEMONSET, "shipper", changed, what="another checksum")


def test_casc_holds_what_needs_a_restart_until_a_person_deletes_it(release, cluster):
    ci = release("casc", "ci")
    ci.wait_ready()
    wait_status(ci, agents=["default", "large"])
    ci.wait_condition("ServerFound", "False", "NotFound")
    scripts = {"welcome-message": "server: {systemMessage: Hello}"}
    ci.patch({"controller": {"installPlugins": ["git:6"], "casc": {"configScripts": scripts}}})
    held = ci.wait_condition("UpdatesHeld", "True", "OnDelete")
    assert "ConfigMap" in held["message"] and "config-welcome" not in held["message"], held
    text = "ci-config-welcome-message"
    ci.wait_child(CONFIGMAP, text, lambda o: "Hello" in str(o["data"]), what="the new message")
    assert "git:6" not in ci.child(CONFIGMAP, "ci")["data"]["plugins.txt"]
    ci.kube.delete(CONFIGMAP, "ci", ci.namespace)
    ci.wait_child(CONFIGMAP, "ci", lambda o: "git:6" in o["data"]["plugins.txt"], what="git:6")
    ci.wait_condition("UpdatesHeld", None)

    assert others(cluster, ci.namespace, "ci")
    ci.wait_condition("ServerFound", "True", "Found")


def test_netguard_guards_a_namespace_without_owning_it(release, cluster, namespace):
    ours = [{"name": "dev", "subjects": ["group:dev"], "role": "edit"}]
    spec = {"kinds": [], "teams": ours, "priorities": {"high": 1000}}
    guard = release("netguard", "guard", spec, annotations={"chartwright.io/adopt": "true"})
    guard.wait_ready()
    assert others(cluster, namespace, "work")
    guard.wait(lambda o: o["status"].get("quota", {}).get("count/jobs.batch") == "1 of 100")

    baseline = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"enforce": "baseline"}}
    baseline["metadata"] = {"name": "netguard-baseline", "namespace": "kube-public"}
    cluster.kube.apply(baseline)
    guard.wait_condition("MeetsBaseline", "True")
    guard.patch({"security": {"enforce": "privileged"}, "priorities": {"high": 2000}})
    guard.wait_condition("MeetsBaseline", "False", "TooLax")
    guard.wait_ready()
    assert cluster.kube.get(PRIORITY_CLASS, "high")["value"] == 2000
    cluster.kube.delete(CONFIGMAP, "netguard-baseline", "kube-public")
    guard.wait_condition("MeetsBaseline", "Unknown")

    guard.delete()
    guard.wait_gone()
    cluster.kube.wait_gone(PRIORITY_CLASS, "high")
    assert cluster.kube.get("v1/Namespace", namespace)["status"]["phase"] == "Active"


def test_queues_replaces_its_set_under_running_brokers(own_cluster, release, operator, namespace):
    mq = release("queues", "mq", {"replicas": 3, "spread": False})
    mq.wait_ready()
    wait_status(mq, brokers=["mq-0", "mq-1", "mq-2"])
    crash = {"chartwright.io/test-pod-state": "crashloop"}
    mq.kube.annotate(POD, "mq-2", namespace, crash)
    mq.wait_child(STATEFULSET, "mq", lambda o: o["status"].get("readyReplicas") == 2)
    meters.wait_at_rest(operator)
    mq.wait_ready()

    mark = own_cluster.audit.mark()
    before = mq.child(STATEFULSET, "mq")
    mq.patch({"replicas": 1})

    def policy(obj):
        return obj["spec"]["podManagementPolicy"]

    assert policy(before) == "Parallel"
    mq.wait_child(STATEFULSET, "mq", lambda o: policy(o) == "OrderedReady", what="another set")
    wait_status(mq, brokers=["mq-0"])
    mq.wait_ready()
    deleted = {"user": COLLECTOR, "verb": "delete", "resource": "pods", "namespace": namespace}
    assert not own_cluster.audit.requests(mark, **deleted)


def test_onecall_keeps_a_monitor_outside_the_cluster(release, uptime, namespace):
    app = release("onecall", "app", {"persistence": {"config": {"size": "2Gi"}}})
    known = app.wait(lambda o: o.get("status", {}).get("monitor"), what="an id")
    first = known["status"]["monitor"]
    url = f"http://app-onecall.{namespace}.svc"
    assert uptime.monitors[first]["url"] == f"{url}:8000/"
    app.patch({"service": {"main": {"ports": {"http": {"port": 9000}}}}})
    wait_until(lambda: uptime.monitors[first]["url"] == f"{url}:9000/", what="the other port")
    app.wait_ready()

    del uptime.monitors[first]
    wait_until(lambda: uptime.monitors, what="a new monitor")
    wait_status(app, monitor=next(iter(uptime.monitors)), storage="2Gi")
    app.patch({"persistence": {"config": {"size": "1Gi"}}})
    app.wait_condition("FieldsHeld", "True", "ShrinkRefused")
    app.delete()
    app.wait_gone()
    assert not uptime.monitors


def test_no_right_was_missing(own_cluster, operator):
    start = Mark(0, datetime.datetime.min)
    answered = own_cluster.audit.requests(start, user=user_of(ACCOUNT))
    assert len(answered) > 100
    assert [request for request in answered if request.forbidden] == []
