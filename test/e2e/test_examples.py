# SPDX-License-Identifier: Apache-2.0
"""The bundles in docs/ are complete: the binary accepts them, and an operator does what is told."""

import contextlib
import dataclasses
import json
import pathlib
import re
import shutil
import subprocess

import pytest

from e2e import session
from e2e.test_generate import AS_JSON, is_established
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions, default_binary
from harness.paths import REPOSITORY
from harness.petstore import PetStore

GROUP = "demo.example.com"
VERSION = "v1alpha1"
DOCS = REPOSITORY / "docs" / "author"
PAGES = sorted(set((DOCS / "examples").glob("*.md")) - {DOCS / "examples" / "README.md"})
# A file in a document: its path in a line of its own, and its content as a code block.
FILE = re.compile(r"^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STATUS = re.compile(r"^The status then has:\n\n```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ACCOUNT = "examples"
# The address of the store, for the pages that need one.
STORE_OF = {"externals": lambda store: store.url, "externals-grpc": lambda store: store.address}


def by_stem(page: pathlib.Path) -> str:
    """Names a page in the list of tests."""
    return page.stem


def parsed(text: str):
    """Returns the value of a YAML text."""
    done = subprocess.run(
        ["python3", "-c", AS_JSON], input=text, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def write_files(text: str, folder: pathlib.Path) -> dict[str, str]:
    """Writes the files that a document has; returns their texts by path."""
    files = dict(FILE.findall(text))
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, encoding="utf-8")
    return files


def run(*arguments: str, cwd: pathlib.Path) -> subprocess.CompletedProcess:
    """Runs a command of Chartwright."""
    command = [str(default_binary()), *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@dataclasses.dataclass
class Example:
    """The bundle of a page, written to a folder."""

    folder: pathlib.Path
    chart: str
    objects: list[str]
    resource: dict
    status: dict

    @property
    def kind(self) -> str:
        """The kind as requests name it."""
        return f"{GROUP}/{VERSION}/{self.resource['kind']}"


def example_of(page: pathlib.Path, folder: pathlib.Path) -> Example:
    """Writes the bundle of a page; fails if a part is missing."""
    text = page.read_text(encoding="utf-8")
    files = write_files(text, folder)
    [chart] = [path.parent.name for path in map(pathlib.Path, files) if path.name == "Chart.yaml"]
    [status] = STATUS.findall(text)
    return Example(
        folder=folder,
        chart=chart,
        objects=[files["objects.yaml"]] if "objects.yaml" in files else [],
        resource=parsed(files[f"{chart}.yaml"]),
        status=parsed(status),
    )


def initialize(example: Example) -> subprocess.CompletedProcess:
    """Does what docs/author/examples/README.md says."""
    return run("init", example.chart, "--group", GROUP, cwd=example.folder)


def test_the_table_has_every_page():
    table = (DOCS / "examples" / "README.md").read_text(encoding="utf-8")
    assert {f"]({page.name})" in table for page in PAGES} == {True}
    assert len(PAGES) >= 7


@pytest.mark.parametrize("page", PAGES, ids=by_stem)
def test_a_bundle_is_accepted_without_a_warning(page, tmp_path):
    example = example_of(page, tmp_path)
    for command in (
        ("lint", example.chart),
        ("init", example.chart, "--group", GROUP),
        ("generate", "docs"),
    ):
        done = run(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "WARNING" not in done.stdout + done.stderr
    assert example.resource["apiVersion"] == f"{GROUP}/{VERSION}"


def test_a_stale_bundle_is_refused(tmp_path):
    page = tmp_path / "page.md"
    text = (DOCS / "examples" / "child-rules.md").read_text(encoding="utf-8")
    page.write_text(text.replace("growOnly:", "growsOnly:"), encoding="utf-8")
    done = initialize(example_of(page, tmp_path))
    assert done.returncode == 1
    assert 'unknown key "growsOnly", did you mean "growOnly"?' in done.stderr


def test_the_generated_table_on_a_page_is_what_is_generated(tmp_path):
    page = DOCS / "examples" / "values.md"
    example = example_of(page, tmp_path)
    [shown] = re.findall(
        r"^```markdown\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    done = run("generate", "docs", example.chart, "--group", GROUP, cwd=tmp_path)
    assert shown in done.stdout


# Parts of a bundle in a document: the heading above, and the file of a chart that has it.
PARTS = [
    ("operator-bundle.md", "## operator.yaml", "bookstore", "operator/operator.yaml"),
    ("operator-bundle.md", "## status.yaml", "bookstore", "operator/status.yaml"),
    ("externals.md", "## Example", "pet", "operator/externals/pet.yaml"),
    ("generate.md", "## CRDs", "demovolume", "operator/operator.yaml"),
]


@pytest.mark.parametrize("document, heading, chart, path", PARTS)
def test_a_part_of_a_bundle_in_a_document_is_accepted(document, heading, chart, path, tmp_path):
    text = (DOCS / document).read_text(encoding="utf-8").partition(f"\n{heading}\n")[2]
    part = re.search(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[1]
    shutil.copytree(REPOSITORY / "charts" / chart, tmp_path / chart)
    (tmp_path / chart / path).write_text(part, encoding="utf-8")
    done = run("generate", "crd", chart, "--group", GROUP, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_views_of_a_document_are_accepted(tmp_path):
    files = write_files((DOCS / "views.md").read_text(encoding="utf-8"), tmp_path)
    assert len(files) == 2
    # Views are loaded before the configuration of the cluster, which is not there.
    done = run("serve", "--service=a/b", "--kubeconfig=none", cwd=tmp_path)
    assert "Failed to load Kubernetes configuration" in done.stderr
    (tmp_path / "views" / "wrong.yaml").write_text("groups: a\n", encoding="utf-8")
    done = run("serve", "--service=a/b", "--kubeconfig=none", cwd=tmp_path)
    assert "Failed to load views" in done.stderr


def test_the_tour_quotes_the_charts():
    systems = (REPOSITORY / "docs" / "start" / "tour.md").read_text(encoding="utf-8")
    files = [path for path in (REPOSITORY / "charts").rglob("*.yaml") if path.is_file()]
    written = {line for file in files for line in file.read_text(encoding="utf-8").splitlines()}
    quoted = re.findall(r"^```yaml\n(.*?)^```$", systems, re.MULTILINE | re.DOTALL)
    assert len(quoted) == 5
    assert [line for part in quoted for line in part.splitlines() if line not in written] == []


@pytest.fixture
def account(own_cluster):
    """The kubeconfig of an account without rights."""
    own_cluster.kubectl.run("create", "serviceaccount", ACCOUNT, "-n", session.SYSTEM)
    return own_cluster.service_account_kubeconfig(session.SYSTEM, ACCOUNT)


def install(cluster, example: Example) -> None:
    """Applies the CRD and the role that `init` has written."""
    initialized = initialize(example)
    assert initialized.returncode == 0, initialized.stderr
    cluster.kubectl("apply", "-k", str(example.folder / "deploy" / "crd"))
    [crd] = (example.folder / "deploy" / "crd").glob("*.*.yaml")
    what = f"{crd.stem} being established"
    cluster.kube.wait("customresourcedefinitions", crd.stem, None, is_established, what=what)
    wait_until(lambda: session.is_served(cluster, example.kind), what="kind being served")
    roles = run("generate", "rbac", "--name", ACCOUNT, cwd=example.folder)
    cluster.kubectl("apply", "-f", "-", input=roles.stdout)


def has_status(wanted: dict):
    """Returns a predicate: Ready, with these fields in the status."""

    def holds(obj) -> bool:
        status = (obj or {}).get("status", {})
        ready = {c["type"]: c["status"] for c in status.get("conditions", [])}.get("Ready")
        return ready == "True" and {key: status.get(key) for key in wanted} == wanted

    return holds


@pytest.mark.parametrize("page", PAGES, ids=by_stem)
def test_an_operator_brings_about_the_status_of_the_page(
    own_cluster, account, namespace, page, tmp_path
):
    cluster = own_cluster
    example = example_of(page, tmp_path)
    install(cluster, example)
    for text in example.objects:
        cluster.kubectl("-n", namespace, "apply", "-f", "-", input=text)
    options = OperatorOptions(
        account, cwd=tmp_path, namespaces=(namespace,), arguments=("--reconcile-period=0",)
    )
    with contextlib.ExitStack() as stack:
        if page.stem in STORE_OF:
            store = stack.enter_context(PetStore(tmp_path))
            with (tmp_path / "watches.yaml").open("a", encoding="utf-8") as watches:
                watches.write(f"  overrideValues: {{store: '{STORE_OF[page.stem](store)}'}}\n")
        stack.enter_context(Operator(options))
        name, body = example.resource["metadata"]["name"], json.dumps(example.resource)
        cluster.kubectl("-n", namespace, "apply", "-f", "-", input=body)
        told = has_status(example.status)
        cluster.kube.wait(example.kind, name, namespace, told, what=str(example.status))
        cluster.kube.delete(example.kind, name, namespace)
        cluster.kube.wait_gone(example.kind, name, namespace)
