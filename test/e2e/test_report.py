# SPDX-License-Identifier: Apache-2.0
"""`chartwright report` collects what a maintainer asks for in a zip, and no value of a Secret."""

import base64
import os
import pty
import subprocess
import zipfile

import pytest

from e2e import console, kubelet, raw_chart
from harness.kube import wait_until
from harness.operator import default_binary

POD_STATE = "chartwright.io/test-pod-state"
PLANTED = "planted: 'value' \"of\" a Secret #1"
ROOT = "chartwright-report/"


def secret(name: str) -> dict:
    """Returns a Secret with a planted value."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name},
        "stringData": {"password": PLANTED},
    }


def config() -> dict:
    """Returns a ConfigMap that quotes the Secret."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "config", "annotations": {"quote": PLANTED}},
        "data": {"app.conf": f"password={PLANTED}"},
    }


def crashing() -> dict:
    """Returns a Deployment whose pods crash, and quote the Secret."""
    made = raw_chart.deployment()
    template = made["spec"]["template"]
    template["metadata"]["annotations"] = {POD_STATE: "crashloop"}
    template["spec"]["containers"][0]["args"] = ["--token", PLANTED]
    template["spec"]["containers"][0]["env"] = [{"name": "API_TOKEN", "value": "by its name"}]
    return made


@pytest.fixture(scope="module", name="raw")
def raw_operator(cluster, shared_operators, tmp_path_factory):
    """The operator of a chart that renders the manifest of its custom resource."""
    with raw_chart.started(cluster, tmp_path_factory.mktemp("report")) as operator:
        shared_operators["raw"] = operator
        yield operator
    del shared_operators["raw"]


@pytest.fixture(scope="module", name="kubelet_logs")
def kubelet_of_the_node(cluster, tmp_path_factory):
    """Pods have logs."""
    with kubelet.playing(cluster, tmp_path_factory.mktemp("kubelet")):
        yield


@pytest.fixture(name="report")
def command(cluster, namespace):
    """`report(ARGUMENTS...)` runs the command in the test's namespace."""
    return lambda *arguments, **options: console.run(
        cluster, namespace, "report", *arguments, **options
    )


@pytest.fixture(name="widget")
def with_a_pod_that_crashes(raw, cluster, namespace):
    """A custom resource with a Secret, what quotes it, and a pod that crashes."""
    widget = raw_chart.create(cluster, namespace, "one", secret("db"), config(), crashing())
    wait_until(
        lambda: "CrashLoopBackOff" in console.run(cluster, namespace, "why", "widget/one").stdout,
        what="a pod that crashes",
    )
    return widget


def texts_of(path) -> dict[str, str]:
    """Returns the texts of a report by their names."""
    with zipfile.ZipFile(path) as packed:
        assert packed.testzip() is None
        names = packed.namelist()
        assert names == sorted(names)
        return {name.removeprefix(ROOT): packed.read(name).decode() for name in names}


def deploy_operator(cluster, namespace: str) -> None:
    """Creates a Deployment that looks like that of an operator."""
    labels = {"app": "manager"}
    container = {
        "name": "manager",
        "image": "registry.example.com/shop-operator:1",
        "env": [{"name": "OVERRIDE_PASSWORD", "value": "by its name"}],
        "volumeMounts": [{"name": "state", "mountPath": "/var/lib/chartwright"}],
    }
    spec = {"containers": [container], "volumes": [{"name": "state", "emptyDir": {}}]}
    cluster.kube.create(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "manager", "namespace": namespace},
            "spec": {
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": spec},
            },
        }
    )
    wait_until(
        lambda: (
            cluster.kube.get("apps/v1/Deployment", "manager", namespace)
            .get("status", {})
            .get("readyReplicas")
        ),
        what="the pod of the operator",
    )


def test_a_report_has_everything_but_the_contents_of_secrets(
    widget, cluster, namespace, kubelet_logs, report, tmp_path
):
    deploy_operator(cluster, namespace)
    path = tmp_path / "report.zip"
    done = report("-o", str(path), "--logs", "widget/one")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert done.stderr.startswith(f"Wrote {path}: 1 custom resource, ")
    assert path.stat().st_mode & 0o777 == 0o600
    texts = texts_of(path)
    for name, text in texts.items():
        for form in ("planted", base64.b64encode(PLANTED.encode()).decode()):
            assert form not in text, name
        # The spec of this test has manifests as a text, in which names tell nothing.
        assert "by its name" not in text or name.endswith("/resource.yaml"), name
    folder = f"resources/Widget.e2e.chartwright.io/{namespace}/one/"
    assert texts["errors.txt"] == "Everything was read.\n"
    assert "widget/one" in texts["resources.txt"]
    assert texts["report.txt"].startswith("Report of chartwright 0.1.0, made at ")
    assert "\nKubernetes: v1." in texts["report.txt"]
    assert "widgets" in texts["crds/widgets.e2e.chartwright.io.yaml"]
    assert f"Widget.e2e.chartwright.io {namespace}/one" in texts[folder + "why.txt"]
    assert "CrashLoopBackOff" in texts[folder + "why.txt"]
    assert "Secret/db" in texts[folder + "tree.txt"]
    assert "Install complete" in texts[folder + "history.txt"]
    assert "sh.helm.release.v1.one.v1" in texts[folder + "records.txt"]
    assert "this custom resource" in texts[folder + "records.txt"]
    assert "REASON" in texts["events.txt"]
    assert "kind: Widget" in texts[folder + "resource.yaml"]
    children = folder + "children/"
    size = f"password: '*** ({len(PLANTED)} bytes)'"
    assert size in texts[f"{children}Secret/{namespace}/db.yaml"]
    assert "app.conf: '*** (" in texts[f"{children}ConfigMap/{namespace}/config.yaml"]
    assert "name: API_TOKEN" in texts[f"{children}Deployment.apps/{namespace}/one.yaml"]
    pods = [name for name in texts if name.startswith(folder + "pods/")]
    assert any(name.endswith(".yaml") for name in pods)
    assert any(name.endswith(".a.log") for name in pods)
    manager = [name for name in texts if name.startswith(f"operators/{namespace}/manager/")]
    assert f"operators/{namespace}/manager/deployment.yaml" in manager
    assert any(name.endswith(".manager.log") and "present line" in texts[name] for name in manager)


def test_a_file_is_replaced_only_if_that_is_asked_for(raw, report, tmp_path):
    path = tmp_path / "report.zip"
    path.write_text("mine", encoding="utf-8")
    done = report("-o", str(path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"Error: {path} exists: give another name, or --force\n"
    assert path.read_text(encoding="utf-8") == "mine"
    assert report("-o", str(path), "--force").returncode == 0
    assert "errors.txt" in texts_of(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.zip"]


def test_standard_output_gets_the_same_zip(raw, cluster, namespace, tmp_path):
    raw_chart.create(cluster, namespace, "one").wait_ready()
    place = ("--kubeconfig", str(cluster.kubeconfig), "-n", namespace)
    done = subprocess.run(
        [str(default_binary()), "report", "widgets", "-o", "-", *place],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    path = tmp_path / "out.zip"
    path.write_bytes(done.stdout)
    assert f"resources/Widget.e2e.chartwright.io/{namespace}/one/resource.yaml" in texts_of(path)


def test_a_terminal_gets_no_zip(raw, cluster, namespace):
    place = ("--kubeconfig", str(cluster.kubeconfig), "-n", namespace)
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [str(default_binary()), "report", "-o", "-", *place],
            stdout=theirs,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(theirs)
        os.close(ours)
    assert done.returncode == 1
    assert done.stderr == (
        "Error: a zip belongs on no terminal: redirect it, or name a file by --output\n"
    )


def test_operators_are_those_that_are_named(raw, cluster, namespace, report, tmp_path):
    deploy_operator(cluster, namespace)
    path = tmp_path / "report.zip"
    named = ("--operator", "manager", "--operator", f"{namespace}/none")
    done = report("-o", str(path), *named)
    assert done.returncode == 0, done.stderr
    assert f"Wrote {path}: 0 custom resources, 1 operator.\n" in done.stderr
    texts = texts_of(path)
    assert f"operators/{namespace}/manager/deployment.yaml" in texts
    assert f"Deployment.apps {namespace}/none" in texts["errors.txt"]
    for name in ("", "/manager", "a/b/c", "../x", "Manager"):
        done = report("-o", str(tmp_path / "other.zip"), "--operator", name)
        assert (done.returncode, done.stdout) == (1, "")
        assert f"--operator={name}: give NAME or NAMESPACE/NAME of a Deployment" in done.stderr
    assert not (tmp_path / "other.zip").exists()


def test_of_many_children_a_report_has_the_first_200(raw, cluster, namespace, report, tmp_path):
    many = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"c{n}"}} for n in range(201)
    ]
    raw_chart.create(cluster, namespace, "one", *many).wait_ready()
    path = tmp_path / "report.zip"
    assert report("-o", str(path), "widget/one").returncode == 0
    texts = texts_of(path)
    assert sum("/children/ConfigMap/" in name for name in texts) == 200
    told = f"Widget.e2e.chartwright.io {namespace}/one: only 200 children were read"
    assert told in texts["errors.txt"]


def test_what_may_not_be_read_is_told_in_the_report(widget, cluster, namespace, report, tmp_path):
    viewer = console.viewer(
        cluster,
        namespace,
        ("e2e.chartwright.io", "widgets", "get list"),
        ("apps", "deployments", "get"),
    )
    path = tmp_path / "report.zip"
    done = report("-o", str(path), "widget/one", kubeconfig=viewer)
    assert done.returncode == 0, done.stderr
    assert "errors.txt in the report says what, and why" in done.stderr
    texts = texts_of(path)
    errors = texts["errors.txt"]
    assert "no right to list Deployments\n" in errors
    assert f": no right to get Secrets in {namespace}\n" in errors
    assert "its records could not be listed: " in errors
    assert f"no right to list Events in {namespace}\n" in errors
    assert "no Deployment of an operator was found" in errors
    folder = f"resources/Widget.e2e.chartwright.io/{namespace}/one/"
    assert folder + "resource.yaml" in texts
    assert f"{folder}children/Deployment.apps/{namespace}/one.yaml" in texts


def test_one_that_is_not_there_is_an_error_beside_the_report(raw, report, namespace, tmp_path):
    path = tmp_path / "report.zip"
    done = report("-o", str(path), "widget/none")
    assert done.returncode == 1
    assert (
        f"Widget.e2e.chartwright.io {namespace}/none could not be read"
        in (texts_of(path)["errors.txt"])
    )
    done = report("-o", str(tmp_path / "other.zip"), "nothing/one")
    assert (done.returncode, done.stdout) == (1, "")
    assert "serves no kind that is called" in done.stderr
    assert not (tmp_path / "other.zip").exists()


def test_an_object_that_only_a_status_claims_is_left_out(raw, cluster, namespace, report, tmp_path):
    """Anyone who may write a status could have any object sent out of the cluster."""
    widget = raw_chart.create(cluster, namespace, "one")
    widget.wait_ready()
    raw.stop()
    cluster.kube.create(
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "foreign", "namespace": namespace},
        }
    )
    entry = {"version": "v1", "kind": "ServiceAccount", "name": "foreign", "namespace": namespace}
    status = {"resources": [entry]}
    cluster.kube.patch(raw_chart.WIDGET, "one", namespace, {"status": status}, subresource="status")
    path = tmp_path / "report.zip"
    assert report("-o", str(path), "widget/one").returncode == 0
    raw.start()
    texts = texts_of(path)
    assert "ServiceAccount " in texts["errors.txt"]
    assert "does not belong to it, and is left out" in texts["errors.txt"]
    assert not any("/children/" in name for name in texts)
