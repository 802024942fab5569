# SPDX-License-Identifier: Apache-2.0
"""`chartwright template` with a cluster prints the same bytes as `helm template`."""

import subprocess

import pytest

from cluster import build
from harness.operator import default_binary

CHART = "apiVersion: v2\nname: probe\nversion: 0.1.0\n"


def config_map(name: str, rest: str = "") -> str:
    """Returns the YAML of a ConfigMap; `rest` is further metadata."""
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n{rest}"


CAPABILITIES = """data:
  version: {{ .Capabilities.KubeVersion }}
  minor: {{ .Capabilities.KubeVersion.Minor | quote }}
  deployments: {{ .Capabilities.APIVersions.Has "apps/v1/Deployment" | quote }}
  widgets: {{ .Capabilities.APIVersions.Has "test.chartwright.io/v1alpha1" | quote }}
  others: {{ .Capabilities.APIVersions.Has "nobody.example.com/v1" | quote }}
  namespace: {{ .Release.Namespace }}
"""
LOOKUP = """data:
  found: {{ lookup "v1" "ConfigMap" .Release.Namespace "theirs" \
| dig "data" "k" "nothing" | quote }}
  all: {{ len (lookup "v1" "ConfigMap" .Release.Namespace "").items | quote }}
  none: {{ lookup "v1" "ConfigMap" .Release.Namespace "nobody" | len | quote }}
"""
UNKNOWN = "---\napiVersion: nobody.example.com/v1\nkind: A\nmetadata: {name: a}\n"
ITEMS = "apiVersion: v1\nkind: ConfigMapList\nitems:\n- {metadata: {name: %s}}\n"

# A title, a template, and flags.
CASES = [
    ("capabilities are the server's", config_map("a") + CAPABILITIES, ["--validate"]),
    (
        "flags about capabilities are ignored",
        config_map("a") + CAPABILITIES,
        ["--validate", "--kube-version", "1.20.0", "-a", "nobody.example.com/v1"],
    ),
    (
        "a look-up finds nothing by --validate",
        config_map("a") + LOOKUP.replace("| dig", "| default dict | dig"),
        ["--validate"],
    ),
    (
        "a look-up finds what there is by --dry-run=server",
        config_map("a") + LOOKUP,
        ["--dry-run=server"],
    ),
    ("both", config_map("a") + LOOKUP, ["--dry-run=server", "--validate"]),
    ("a kind that is not served", UNKNOWN, ["--validate"]),
    (
        "kinds that are not served",
        config_map("a") + UNKNOWN + UNKNOWN.replace("A", "B"),
        ["--validate"],
    ),
    ("no kind", "apiVersion: v1\nmetadata: {name: a}\n", ["--validate"]),
    (
        "no kind, unchecked",
        "apiVersion: v1\nmetadata: {name: a}\n",
        ["--validate", "--disable-openapi-validation"],
    ),
    ("no object", "a: 1\n", ["--validate"]),
    ("no object, unchecked", "a: 1\n", ["--validate", "--disable-openapi-validation"]),
    ("too many slashes", "apiVersion: a/b/c\nkind: A\n", ["--validate"]),
    ("labels of numbers", config_map("a", "  labels: {x: 1}\n"), ["--validate"]),
    ("annotations of bools", config_map("a", "  annotations: {x: true}\n"), ["--validate"]),
    ("labels in a list", config_map("a", "  labels: [x]\n"), ["--validate"]),
    ("annotations as a text", config_map("a", "  annotations: x\n"), ["--validate"]),
    ("metadata as a text", "apiVersion: v1\nkind: ConfigMap\nmetadata: x\n", ["--validate"]),
    ("finalizers as a text", config_map("a", "  finalizers: x\n"), ["--validate"]),
    ("a field that does not exist", config_map("a") + "dat: {}\n", ["--validate"]),
    ("an object that exists", config_map("theirs"), ["--validate"]),
    ("an object of another release", config_map("others"), ["--validate"]),
    ("an object of this release", config_map("ours"), ["--validate"]),
    ("an object that is taken", config_map("theirs"), ["--validate", "--take-ownership"]),
    ("an object at an upgrade", config_map("theirs"), ["--validate", "--is-upgrade"]),
    ("an object without a name", "apiVersion: v1\nkind: ConfigMap\n", ["--validate"]),
    (
        "an object of the cluster",
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n",
        ["--validate"],
    ),
    ("a list", ITEMS % "a", ["--validate"]),
    ("a list of what exists", ITEMS % "theirs", ["--validate"]),
    (
        "an object in a list that is not served",
        (
            "apiVersion: v1\nkind: ConfigMapList\nitems:\n- {apiVersion: x/v1, kind: A, metadata:"
            " {name: a}}\n"
        ),
        ["--validate"],
    ),
    (
        "a hook is not looked at",
        config_map("theirs", '  annotations: {"helm.sh/hook": pre-install}\n'),
        ["--validate"],
    ),
    ("no name is looked up", 'a: {{ getHostByName "127.0.0.1" | quote }}\n', []),
    ("a name is looked up", 'a: {{ getHostByName "127.0.0.1" | quote }}\n', ["--enable-dns"]),
    ("an address of another kind", 'a: {{ getHostByName "::1" | quote }}\n', ["--enable-dns"]),
    ("a name that cannot be", 'a: {{ getHostByName "" | quote }}\n', ["--enable-dns"]),
    (
        "digits that are not an address",
        'a: {{ getHostByName "127.1" | quote }}\n',
        ["--enable-dns"],
    ),
    (
        "flags that change nothing",
        config_map("a"),
        [
            "--version",
            "1.2.3",
            "-l",
            "a=b",
            "--keyring",
            "none",
            "--qps",
            "5",
            "--dependency-update",
            "--wait",
            "--atomic=false",
        ],
    ),
    (
        "a post-renderer is",
        config_map("a"),
        ["--validate", "--post-renderer", "sed", "--post-renderer-args", "s/name: a/name: theirs/"],
    ),
]


@pytest.fixture(scope="module")
def theirs(cluster):
    """A namespace with three ConfigMaps: unowned, of another release, and of ours."""
    name = cluster.create_namespace("template")
    helm = {"app.kubernetes.io/managed-by": "Helm"}
    for owner, labels in (("theirs", {}), ("others", helm), ("ours", helm)):
        release = {"others": "x", "ours": "r"}.get(owner)
        annotations = {"meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": name}
        metadata = {"name": owner, "namespace": name, "labels": labels}
        cluster.kube.create(
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "data": {"k": "v"},
                "metadata": {**metadata, "annotations": annotations if release else {}},
            }
        )
    yield name
    cluster.abandon_namespace(name)


@pytest.fixture(scope="module")
def render(cluster, theirs, tmp_path_factory):
    """`render(PROGRAM, TEMPLATE, FLAGS)` returns exit code, standard output and error."""

    def run(program, template, flags):
        chart = tmp_path_factory.mktemp("probe")
        (chart / "Chart.yaml").write_text(CHART)
        (chart / "templates").mkdir()
        (chart / "templates" / "t.yaml").write_text(template)
        done = subprocess.run(
            [
                program,
                "template",
                "r",
                ".",
                "--kubeconfig",
                str(cluster.kubeconfig),
                "-n",
                theirs,
                *flags,
            ],
            cwd=chart,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr.partition("Error: ")[2]

    return run


@pytest.mark.parametrize(
    ("template", "flags"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_template_prints_what_helm_prints(render, template, flags):
    wanted = render(build.ensure(["helm"])["helm"], template, flags)
    assert render(default_binary(), template, flags) == wanted


def test_validating_writes_nothing(cluster, theirs, render):
    before = cluster.kube.list("v1/ConfigMap", theirs)
    assert render(default_binary(), config_map("new"), ["--validate"])[0] == 0
    assert cluster.kube.list("v1/ConfigMap", theirs) == before
