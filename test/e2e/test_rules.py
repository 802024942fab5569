# SPDX-License-Identifier: Apache-2.0
"""Rules for children that no published operator needs, added to the chart of BookStore."""

import shutil

import pytest

from e2e import meters, session
from e2e import traffic as expect
from e2e.custom_resource import BOOKSTORE, DEPLOYMENT
from e2e.traffic import Traffic
from harness.operator import Operator, OperatorOptions
from harness.paths import REPOSITORY

WATCH = "- {group: blog.velotio.com, version: v1alpha1, kind: BookStore, chart: bookstore}\n"
SCALED = """children:
- match: {apiVersion: apps/v1, kind: Deployment}
  ignore: [spec.replicas]
"""


@pytest.fixture
def with_rules(cluster, namespace, tmp_path):
    """Starts an operator of a BookStore chart with other rules in its operator.yaml."""
    started = []

    def start(rules: str) -> Operator:
        shutil.copytree(REPOSITORY / "charts" / "bookstore", tmp_path / "bookstore")
        file = tmp_path / "bookstore" / "operator" / "operator.yaml"
        text = file.read_text(encoding="utf-8")
        assert "\nchildren:\n" in text
        file.write_text(text.replace("\nchildren:\n", f"\n{rules}", 1), encoding="utf-8")
        watches = tmp_path / "watches.yaml"
        watches.write_text(WATCH, encoding="utf-8")
        kubeconfig = cluster.service_account_kubeconfig(session.SYSTEM, session.OPERATOR)
        options = OperatorOptions(
            kubeconfig,
            cwd=tmp_path,
            watches_file=watches,
            namespaces=(namespace,),
            arguments=("--reconcile-period=0",),
        )
        started.append(Operator(options))
        return started[-1].start()

    yield start
    for operator in started:
        operator.close()


@pytest.fixture
def traffic(cluster, namespace):
    """The operator's requests in the test's namespace."""
    watched = Traffic(cluster.audit, session.user_of(session.OPERATOR), namespace)
    yield watched
    watched.report()


FROZEN = """children:
- match: {apiVersion: apps/v1, kind: Deployment}
  freeze: [spec.replicas]
"""


def scale(shop, replicas: int) -> None:
    """Scales the application as an autoscaler does."""
    shop.kube.patch(
        DEPLOYMENT, "shop", shop.namespace, {"spec": {"replicas": replicas}}, subresource="scale"
    )


def replicas(shop) -> int:
    return shop.child(DEPLOYMENT, "shop")["spec"]["replicas"]


def test_ignored_replicas_are_left_to_an_autoscaler(with_rules, declare, traffic):
    operator = with_rules(SCALED)
    shop = declare(BOOKSTORE, "shop").create({"bookApp": {"replicas": 2, "tag": "v1"}})
    shop.wait_ready()
    assert replicas(shop) == 2

    scale(shop, 4)
    meters.wait_at_rest(operator)
    assert replicas(shop) == 4

    mark = traffic.mark()
    scale(shop, 5)
    meters.wait_at_rest(operator)
    assert replicas(shop) == 5
    traffic.check(mark, expect.no_child_write)

    shop.patch({"bookApp": {"replicas": 1, "tag": "v2"}})
    shop.wait_child(
        DEPLOYMENT,
        "shop",
        lambda o: o["spec"]["template"]["spec"]["containers"][0]["image"].endswith(":v2"),
        what="the other image",
    )
    shop.wait_ready()
    assert replicas(shop) == 5


def image(shop) -> str:
    template = shop.child(DEPLOYMENT, "shop")["spec"]["template"]
    return template["spec"]["containers"][0]["image"]


def test_a_rollback_leaves_what_is_frozen_and_applies_the_rest(with_rules, declare):
    operator = with_rules(FROZEN)
    shop = declare(BOOKSTORE, "shop").create({"bookApp": {"replicas": 2, "tag": "v1"}})
    shop.wait_ready()
    before = shop.child(DEPLOYMENT, "shop")["metadata"]["uid"], image(shop)
    scale(shop, 4)
    shop.patch({"bookApp": {"replicas": 1, "tag": "v2"}})
    shop.wait_revision(2)
    shop.wait_ready()
    assert (replicas(shop), image(shop).partition(":")[2]) == (4, "v2")

    shop.annotate(rollback_to="1")
    shop.wait_revision(3)
    shop.wait_condition("RolledBack", "True")
    shop.wait_ready()
    meters.wait_at_rest(operator)
    assert (shop.child(DEPLOYMENT, "shop")["metadata"]["uid"], image(shop)) == before
    assert replicas(shop) == 4
    frozen = shop.wait_condition("FieldsFrozen", "True", "LiveValueKept")
    assert frozen["message"] == f"Deployment.apps {shop.namespace}/shop: spec.replicas"

    shop.patch({"bookApp": {"replicas": 4}})
    shop.wait_condition("FieldsFrozen", None)


def test_other_fields_of_the_object_are_repaired(with_rules, declare):
    operator = with_rules(SCALED)
    shop = declare(BOOKSTORE, "shop").create({"bookApp": {"replicas": 2}})
    shop.wait_ready()
    shop.kube.patch(
        DEPLOYMENT,
        "shop",
        shop.namespace,
        {"metadata": {"labels": {"app.kubernetes.io/name": "x"}}, "spec": {"replicas": 3}},
    )
    shop.wait_child(
        DEPLOYMENT,
        "shop",
        lambda o: o["metadata"]["labels"]["app.kubernetes.io/name"] == "bookstore",
        what="the label",
    )
    meters.wait_at_rest(operator)
    assert replicas(shop) == 3


WARNED = """children:
- match: {apiVersion: apps/v1, kind: Deployment}
  drift: warn
"""


def test_drift_that_is_to_be_told_stays(with_rules, declare, traffic):
    operator = with_rules(WARNED)
    shop = declare(BOOKSTORE, "shop").create({"bookApp": {"replicas": 2, "tag": "v1"}})
    shop.wait_ready()
    meters.wait_at_rest(operator)
    mark = traffic.mark()
    scale(shop, 4)
    drifted = shop.wait_condition("Drifted", "True", "ChangedByOthers")
    assert drifted["message"].startswith(
        f"Deployment.apps {shop.namespace}/shop: spec.replicas: 4 instead of 2 (managed by "
    )
    shop.wait_condition("Ready", "True", "Drifted")
    meters.wait_at_rest(operator)
    assert replicas(shop) == 4
    traffic.check(mark, expect.no_child_write)

    scale(shop, 2)  # The change is taken back.
    shop.wait_condition("Drifted", None)
    shop.wait_condition("Ready", "True", "Ready")
    meters.wait_at_rest(operator)
    scale(shop, 3)
    shop.wait_condition("Drifted", "True")
    operator.restart()
    meters.wait_at_rest(operator)
    assert replicas(shop) == 3

    shop.annotate(drift="repair")
    shop.wait_condition("Drifted", None)
    assert replicas(shop) == 2


def test_a_child_that_others_delete_stays_deleted_if_its_drift_is_told(with_rules, declare):
    operator = with_rules(WARNED)
    shop = declare(BOOKSTORE, "shop").create({"bookApp": {"replicas": 1, "tag": "v1"}})
    shop.wait_ready()
    shop.kube.delete(DEPLOYMENT, "shop", shop.namespace)
    shop.wait_condition("Drifted", "True")
    ready = shop.wait_condition("Ready", "False", "ChildFailed")
    assert "deleted by others, and not created again" in ready["message"]
    meters.wait_at_rest(operator)

    shop.patch({"bookApp": {"replicas": 1, "tag": "v2"}})  # A change of the chart's is applied.
    shop.wait_ready()
    assert image(shop).endswith(":v2")
