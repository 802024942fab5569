# SPDX-License-Identifier: Apache-2.0
"""Custom resources whose metadata, status, spec or children are hostile: owners, managed fields,
annotations, releases.
"""

import base64
import gzip
import json

from harness.kube import wait_until
from hostile.apiserver import GROUP
from hostile.operators import CONFIG_MAP, Encounter, Stage
from hostile.vector import TEMPLATE

INSTALLED = "InstallSuccessful"
SECRET = "hunter2hunter2"
ENCODED = base64.b64encode(SECRET.encode()).decode()
MIB = 1 << 20
# Errors of a real API server for fields of a wrong type or too long.
NO_SUCH_TYPE = "cannot unmarshal"
TOO_LONG = "Too long"
TPL = {TEMPLATE: CONFIG_MAP + "---\n{{ tpl .Values.t . }}\n", "values.yaml": "t: ''\nsize: 0\n"}


def kind_of(prefix: str, name: str) -> str:
    """Returns a kind for a name in words."""
    return prefix + "".join(
        word.capitalize() for word in "".join(c if c.isalnum() else " " for c in name).split()
    )


def nested(depth: int, key: str = "f:a") -> dict:
    """Returns nested maps of the given depth."""
    inner: dict = {}
    for _ in range(depth):
        inner = {key: inner}
    return inner


def owner(number: int) -> dict:
    """Returns an owner reference to an object that does not exist."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": f"o{number}",
        "uid": f"u{number}",
        "controller": number == 0,
    }


def managed(fields: object, entries: int = 1) -> list:
    """Returns managedFields of our own field manager."""
    return [
        {
            "manager": "chartwright",
            "operation": "Apply",
            "apiVersion": "v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": fields,
        }
    ] * entries


def metadata(
    name: str, reported: str = INSTALLED, refused: str | None = None, **fields
) -> Encounter:
    """An attack by a custom resource with such metadata."""
    kind = kind_of("M", name)
    collected = refused is None and "ownerReferences" in fields
    return Encounter(
        f"a custom resource with {name}",
        kind,
        lambda on: on.put(kind, {"size": 1}, **fields),
        reported,
        refused=refused,
        collected=collected,
    )


def text(name: str, template: str, reported: str, **rest) -> Encounter:
    """An attack by a custom resource whose spec is a template."""
    kind = kind_of("T", name)

    def attack(on: Stage) -> None:
        on.server.put(
            "",
            "secrets",
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": "others"},
                "data": {"p": ENCODED},
            },
        )
        on.put(kind, {"t": template})

    return Encounter(f"a spec that {name}", kind, attack, reported, TPL, **rest)


def child(name: str, change: dict, reported: str = INSTALLED, **rest) -> Encounter:
    """An attack by a change of the child ConfigMap."""
    kind = kind_of("C", name)

    def attack(on: Stage) -> None:
        body = {"apiVersion": "v1", "kind": "ConfigMap", "data": {}, **change}
        body["metadata"] = {
            "name": kind.lower(),
            "labels": {"helm.sdk.operatorframework.io/chart": kind.lower()},
            **change.get("metadata", {}),
        }
        on.server.put("", "configmaps", body)
        on.put(kind, {"size": 1}, annotations={"chartwright.io/adopt": "true"})

    return Encounter(f"a child with {name}", kind, attack, reported, **rest)


def status(name: str, given: object, reported: str = INSTALLED, **rest) -> Encounter:
    """An attack by a forged status of a custom resource."""
    kind = kind_of("St", name)

    def attack(on: Stage) -> None:
        body = {
            "apiVersion": f"{GROUP}/v1",
            "kind": kind,
            "metadata": {"name": kind.lower()},
            "spec": {"size": 1},
            "status": given,
        }
        on.server.put(GROUP, kind.lower() + "s", body)

    return Encounter(f"a status with {name}", kind, attack, reported, **rest)


def record(value: object, *, raw: bytes | None = None) -> dict:
    """Returns the data of a revision's Secret."""
    packed = (
        raw
        if raw is not None
        else base64.b64encode(
            gzip.compress(value if isinstance(value, bytes) else json.dumps(value).encode())
        )
    )
    return {"release": base64.b64encode(packed).decode()}


def rollback(
    name: str, request: str, data: object = None, reported: str = "RollbackRefused", **rest
) -> Encounter:
    """An attack by a rollback after the records of the first revision were replaced."""
    kind = kind_of("R", name)

    def attack(on: Stage) -> None:
        on.put(kind, {"size": 1})
        wait_until(lambda: on.revision(kind) == 1, what="the first revision")
        on.put(kind, {"size": 2})
        wait_until(lambda: on.revision(kind) == 2, what="the second revision")
        if data is not None:
            secret = f"sh.helm.release.v1.{kind.lower()}.v1"
            on.server.put(
                "",
                "secrets",
                {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": secret}, "data": data},
            )
        on.put(kind, {"size": 2}, annotations={"chartwright.io/rollback-to": request})

    return Encounter(f"a rollback to {name}", kind, attack, reported, **rest)


METADATA = [
    metadata("10,000 owners", ownerReferences=[owner(n) for n in range(10000)]),
    metadata(
        "owners of every wrong type",
        refused=NO_SUCH_TYPE,
        ownerReferences=[1, "a", {}, [1], {"uid": 5, "kind": {}}, None],
    ),
    metadata("owners that are a map", refused=NO_SUCH_TYPE, ownerReferences={"a": 1}),
    metadata("an owner that is itself", ownerReferences=[owner(1)]),
    metadata("managed fields 190 deep", managedFields=managed(nested(190))),
    metadata("managed fields that are a text", refused=NO_SUCH_TYPE, managedFields="text"),
    metadata("10,000 managers", managedFields=managed({"f:a": {}}, 10000)),
    metadata("managed fields of a million letters", managedFields=managed({"f:" + "a" * MIB: {}})),
    metadata(
        "annotations of every wrong type",
        refused=NO_SUCH_TYPE,
        annotations={"a": 1, "b": [1], "chartwright.io/adopt": {"a": 1}},
    ),
    metadata(
        "a reconcile period of nonsense",
        "invalid duration",
        annotations={"helm.sdk.operatorframework.io/reconcile-period": "99999999999h"},
    ),
    metadata(
        "a negative reconcile period",
        annotations={"helm.sdk.operatorframework.io/reconcile-period": "-1ns"},
    ),
    metadata(
        "a reconcile period of a nanosecond",
        annotations={"helm.sdk.operatorframework.io/reconcile-period": "1s"},
    ),
    metadata(
        "an adoption of nonsense", refused=TOO_LONG, annotations={"chartwright.io/adopt": "x" * MIB}
    ),
    metadata("20,000 labels", labels={f"l{n}": "x" for n in range(20000)}),
    metadata("finalizers that are maps", refused=NO_SUCH_TYPE, finalizers=[{"a": 1}, 5]),
    metadata("10,000 finalizers", finalizers=[f"a.example/{n}" for n in range(10000)]),
]

CHILDREN = [
    child("managed fields 190 deep", {"metadata": {"managedFields": managed(nested(190))}}),
    child(
        "managed fields of nonsense",
        {
            "metadata": {
                "managedFields": managed(
                    {"x": 1, "f:": [], "k:{": {}, 'k:{"a"': {}, "v:[": {}, "i:x": {}}
                )
            }
        },
    ),
    child("a million letters of data", {"data": {"a": "x" * MIB}}, f"{INSTALLED}|{TOO_LONG}"),
    child("10,000 keys", {"data": {f"k{n}": "x" for n in range(10000)}}),
    child("another owner", {"metadata": {"ownerReferences": [owner(1)]}}),
    child(
        "another release's marks",
        {
            "metadata": {
                "labels": {"app.kubernetes.io/managed-by": "Helm"},
                "annotations": {
                    "meta.helm.sh/release-name": "other",
                    "meta.helm.sh/release-namespace": "elsewhere",
                },
            }
        },
    ),
    child("a finalizer of others", {"metadata": {"finalizers": ["evil.example/x"]}}),
    child(
        "data that may not change",
        {"immutable": True, "data": {"size": "7"}},
        f"{INSTALLED}|field is immutable",
    ),
    child(
        "keys of a path", {"data": {"../../x": "y"}}, refused="a valid config key must consist of"
    ),
    child("an annotation of 200 KiB", {"metadata": {"annotations": {"a": "x" * 200000}}}),
    child("annotations that are a list", {"metadata": {"annotations": [1]}}, refused=NO_SUCH_TYPE),
]

STATUSES = [
    status(
        "conditions of every wrong type",
        {"conditions": [1, "a", [], {"type": 5}, {"type": {}}, None]},
    ),
    status("conditions that are a map", {"conditions": {"a": 1}}),
    status("a revision that is a text", {"revision": "x", "observedGeneration": []}),
    status("a negative revision", {"revision": -5, "history": [{"revision": -5}]}),
    status(
        "a revision beyond all",
        {"revision": 9223372036854775807, "history": [{"revision": 9223372036854775807}]},
    ),
    status(
        "resources of every wrong type",
        {
            "resources": [
                1,
                "a",
                [],
                {"kind": 5, "name": []},
                {"apiVersion": "v1", "kind": "Secret", "name": "../../x"},
            ]
        },
    ),
    status(
        "100,000 resources",
        {
            "resources": [
                {"apiVersion": "v1", "kind": "ConfigMap", "name": f"r{n}", "namespace": "default"}
                for n in range(20000)
            ]
        },
    ),
    status(
        "a history of 50",
        {"history": [{"revision": n, "status": "deployed", "digest": "x"} for n in range(50)]},
        "all children are ready",
    ),
    status("a pin of nonsense", {"pin": [1], "inputs": 5, "lastHandledRollback": {}}),
    status(
        "a release of a million letters",
        {"deployedRelease": {"name": "x" * MIB, "manifest": "y" * MIB}},
        refused="larger than max",
    ),
]

SPECS = [
    text(
        "loops",
        "{{ range until 1000 }}{{ range until 1000 }}{{ range until 1000 }}{{ end }}{{ end }}{{"
        " end }}",
        "render budget exceeded",
        cpu_seconds=25,
    ),
    text(
        "grows",
        '{{ $x := "a" }}{{ range until 60 }}{{ $x = print $x $x }}{{ end }}',
        "render budget exceeded",
        rss_mib=700,
    ),
    text("calls itself", "{{ tpl .Values.t . }}", "exceeded maximum template depth"),
    text(
        "fails with a secret of the cluster",
        '{{ fail (lookup "v1" "Secret" "default" "others" | toJson) }}',
        r"\*\*\*",
        secret=ENCODED,
    ),
    text("renders no YAML", "{{ `a: [` }}", "YAML parse error|Irreconcilable"),
    text(
        "renders a Secret that the server refuses",
        "apiVersion: v1\nkind: Secret\ntype: kubernetes.io/tls\nmetadata: {name: x}\n"
        f"stringData: {{a: {SECRET}}}",
        f"{INSTALLED}|withheld|Required value",
        secret=SECRET,
    ),
    text(
        "renders a Secret with a list",
        f"apiVersion: v1\nkind: Secret\nmetadata: {{name: x}}\nstringData: {{a: {SECRET}, b:"
        f" [{SECRET}]}}",
        "is a list, not a string",
        secret=SECRET,
    ),
    text(
        "renders an object of nobody's kind",
        "apiVersion: evil.example/v1\nkind: Evil\nmetadata: {name: x}",
        "NoMatch|no kind|serves no",
    ),
    text(
        "renders a name that is a path",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ../../secrets/x}",
        "may not be|invalid|name",
    ),
    text(
        "renders a name with a question mark",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 'x?dryRun=All'}",
        f"{INSTALLED}|is invalid",
    ),
    text(
        "renders deep data",
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {{ repeat 9000 "[" }}{{ repeat'
        ' 9000 "]" }}',
        "Empty reply|expected map",
    ),
    text(
        "renders 100 objects",
        "{{ range until 100 }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: 'x{{ ."
        " }}'}\n{{ end }}",
        INSTALLED,
        cpu_seconds=25,
    ),
    text("fails with a million letters", '{{ fail (repeat 1000000 "x") }}', "xxxx"),
    text(
        "looks up a name with a question mark",
        '{{ lookup "v1" "Secret" "default" "x?watch=1" | toJson | fail }}',
        "execution error.*{}",
    ),
    text(
        "looks up a name that is NUL",
        '{{ lookup "v1" "Secret" "default" "\\x00" | toJson | fail }}',
        "execution error.*{}",
    ),
    text(
        "looks up a path",
        '{{ lookup "v1" "Secret" "default" "../../../../api/v1/secrets" }}',
        "error calling lookup",
    ),
    text(
        "makes a certificate of a million bytes",
        '{{ $c := genCA (repeat 1048576 "a") 1 }}',
        "ReleaseFailed|Irreconcilable",
    ),
]

RELEASES = [
    rollback("no number", "x"),
    rollback("a negative number", "-1"),
    rollback("a number beyond 64 bits", "9" * 40),
    rollback("what is not there", "77"),
    rollback("a million letters", "x" * MIB, refused=TOO_LONG),
    rollback("a line break", "1\n2"),
    rollback(
        "a record of no base64",
        "1",
        {"release": "***"},
        "not|base64|RollbackRefused|Failed|Irreconcilable",
        refused="illegal base64",
    ),
    rollback(
        "a record of nothing", "1", {"release": ""}, "RollbackRefused|not a|Failed|Irreconcilable"
    ),
    rollback(
        "a record that is not gzip",
        "1",
        record(None, raw=base64.b64encode(b"\x1f\x8b" + b"x" * 100)),
        "RollbackRefused|gzip|Failed|Irreconcilable",
    ),
    rollback(
        "a record of 30 million lists",
        "1",
        record(b'{"a":[' + b"[]," * (30 * MIB // 2) + b"0]}"),
        "bytes of memory",
        cpu_seconds=20,
        rss_mib=700,
    ),
    rollback(
        "a record of 200 MiB",
        "1",
        record(bytes(200 * MIB)),
        "RollbackRefused|larger|Failed|Irreconcilable",
    ),
    rollback(
        "a record that is a list",
        "1",
        record([1]),
        "RollbackRefused|not a Helm|Failed|Irreconcilable",
    ),
    rollback(
        "a deep record", "1", record(b"[" * 1000000), "RollbackRefused|depth|Failed|Irreconcilable"
    ),
    rollback(
        "a record of another manifest",
        "1",
        record(
            {
                "name": "x",
                "version": 1,
                "info": {"status": "superseded"},
                "manifest": (
                    "apiVersion: v1\nkind: Secret\n"
                    f"metadata: {{name: evil}}\nstringData: {{a: {SECRET}}}\n"
                ),
            }
        ),
        "digest|RollbackRefused|Failed|Irreconcilable",
        secret=SECRET,
    ),
    rollback(
        "a record of another version",
        "1",
        record({"name": "x", "version": 99, "info": {"status": "evil"}, "manifest": ""}),
        "RollbackRefused|Failed|Irreconcilable",
    ),
    rollback(
        "a record of wrong types",
        "1",
        record({"name": 5, "version": "1", "info": [], "manifest": {}}),
        "RollbackRefused|not a Helm|Failed|Irreconcilable",
    ),
]

ALL = [*METADATA, *CHILDREN, *STATUSES, *SPECS, *RELEASES]
