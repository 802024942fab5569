# SPDX-License-Identifier: Apache-2.0
"""Faulty watches.yaml files and kubeconfigs, which an operator reports at start before it exits."""

import itertools
import pathlib

from hostile.vector import CHART, TEMPLATE, Vector

TOKEN = "hunter2hunter2"
CHARTS = {"good/Chart.yaml": CHART.replace("hostile", "good"), f"good/{TEMPLATE}": "a: 1\n"}
WATCH = "- {group: g.example, version: v1, kind: Good, chart: good}\n"
CONFIG = f"""\
clusters: [{{name: c, cluster: {{server: "http://127.0.0.1:9"}}}}]
users: [{{name: u, user: {{token: {TOKEN}}}}}]
contexts: [{{name: x, context: {{cluster: c, user: u}}}}]
current-context: x
"""
MIB = 1 << 20
ENDS = "Error: "
# Valid input: the operator waits for an API server that does not exist.
WAITS = {"error": "API server is not reachable", "code": 0}
DEADLINE = 3.0
LAUGHS = 'a: &a ["x","x","x","x","x","x","x","x","x"]\n' + "".join(
    f"{b}: &{b} [{','.join(['*' + a] * 9)}]\n" for a, b in itertools.pairwise("abcdefghi")
)


def start(
    name: str,
    files: dict[str, str | bytes],
    error: str,
    *arguments: str,
    rss_mib: float = 200,
    **rest,
) -> Vector:
    """An attack on `chartwright run` by its input at start."""

    def make(folder: pathlib.Path) -> pathlib.Path:
        for path, text in {"watches.yaml": WATCH, "kubeconfig": CONFIG, **CHARTS, **files}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text if isinstance(text, bytes) else text.encode())
        return folder

    flags = arguments or ("--kubeconfig=kubeconfig",)
    error = error if rest.get("code") == 0 else f"{ENDS}.*({error})"
    return Vector(
        name,
        make,
        error,
        command="run",
        arguments=flags,
        cpu_seconds=2,
        rss_mib=rss_mib,
        deadline_seconds=DEADLINE,
        secret=TOKEN,
        **rest,
    )


def field(name: str, text: str, error: str = "watches.yaml:1", **rest) -> Vector:
    """An attack by one field of an entry."""
    return start(
        f"watches.yaml: {name}",
        {"watches.yaml": f"- {{group: g.example, version: v1, kind: Good, chart: good, {text}}}\n"},
        error,
        **rest,
    )


def instead(name: str, text: str | bytes, error: str = "watches.yaml", **rest) -> Vector:
    """An attack by the whole file."""
    return start(f"watches.yaml: {name}", {"watches.yaml": text}, error, **rest)


def config(name: str, text: str | bytes, error: str = "kubeconfig", **rest) -> Vector:
    """An attack by the whole kubeconfig."""
    return start(f"kubeconfig: {name}", {"kubeconfig": text}, error, **rest)


def user(name: str, text: str, error: str = "kubeconfig|user", **rest) -> Vector:
    """An attack by the user's entry."""
    return config(name, CONFIG.replace(f"token: {TOKEN}", text), error, **rest)


def server(name: str, text: str, error: str = "server", **rest) -> Vector:
    """An attack by the cluster's entry."""
    return config(name, CONFIG.replace('server: "http://127.0.0.1:9"', text), error, **rest)


def watches() -> list[Vector]:
    """Attacks by watches.yaml."""
    entry = "{group: g.example, version: v1, kind: %s, chart: good}"
    return [
        instead("nothing", ""),
        instead("a map", "a: 1\n"),
        instead("a text", "text\n"),
        instead("an entry that is a list", "- [1]\n"),
        instead("an entry that is null", "-\n"),
        instead("UTF-16", b"\xff\xfe" + WATCH.encode("utf-16le"), **WAITS),
        instead("broken UTF-8", b"- {group: \xff}\n"),
        instead("NUL", b"\0" * 1000),
        instead("2 MiB", "#" * 2 * MIB, "larger than the limit"),
        instead("deep lists", "- " * 100000 + "a\n"),
        instead("deep maps", "- " + "{a: " * 100000),
        instead("aliases of aliases", LAUGHS),
        instead("an alias to itself", "- &a {group: *a}\n"),
        instead(
            "two kinds that are the same",
            "- " + entry % "Good" + "\n- " + entry % "Good" + "\n",
            "duplicate GVK",
        ),
        instead(
            "two keys that differ in case",
            "- {group: g, Group: h, version: v1, kind: K, chart: good}\n",
            "duplicate key",
        ),
        instead(
            "a key twice",
            "- {group: g, group: h, version: v1, kind: K, chart: good}\n",
            "duplicate|already",
        ),
        instead(
            "20,000 entries",
            "".join(f"- {entry % f'K{n}'}\n" for n in range(15000)).replace(
                "chart: good", "chart: x"
            ),
            "chart",
        ),
        *(
            field(f"{key} as {what}", f"{key}: {text}")
            for key in (
                "overrideValues",
                "selector",
                "watchDependentResources",
                "reconcilePeriod",
                "dryRunOption",
                "helmVersion",
                "maxConcurrentReconciles",
            )
            for what, text in {
                "a list of lists": "[[1]]",
                "a map of maps": "{a: {b: {c: [1]}}}",
                "a wrong text": "'\\x00evil'",
            }.items()
            if not (key == "overrideValues" and what == "a map of maps")
        ),
        field("a number of workers beyond all", "maxConcurrentReconciles: 99999999999999999999"),
        field("a negative number of workers", "maxConcurrentReconciles: -1"),
        field("a period beyond 64 bits", "reconcilePeriod: 9999999999999h"),
        field("a negative period", "reconcilePeriod: -1m"),
        field("an override of a large index", "overrideValues: {'a[99999999]': b}"),
        field("an override of a broken path", "overrideValues: {'a[': b}"),
        field("an override of a broken template", "overrideValues: {a: '{{ nothing }}'}"),
        field(
            "an override that loops", "overrideValues: {a: '{{ range until 2000000000 }}{{ end }}'}"
        ),
        field(
            "a selector of a hundred thousand labels",
            "selector: {matchLabels: {" + ", ".join(f"'-{n}': a" for n in range(30000)) + "}}",
        ),
        field(
            "a selector of an unknown operator",
            "selector: {matchExpressions: [{key: a, operator: Evil, values: [b]}]}",
        ),
        instead("a group that is a path", "- {group: ../.., version: v1, kind: K, chart: good}\n"),
        instead(
            "a version with a line break",
            '- {group: g.example, version: "v1\\nX: y", kind: K, chart: good}\n',
        ),
        instead(
            "a kind with a question mark",
            "- {group: g.example, version: v1, kind: 'K?watch=1', chart: good}\n",
        ),
        instead(
            "a kind of a million letters",
            "- {group: g.example, version: v1, kind: " + "K" * 900000 + ", chart: good}\n",
        ),
        instead(
            "a chart that is a device",
            "- {group: g.example, version: v1, kind: K, chart: /dev/zero}\n",
            "/dev/zero",
        ),
        instead(
            "a chart that is the root folder",
            "- {group: g.example, version: v1, kind: K, chart: /proc/self}\n",
            "Chart.yaml|chart",
        ),
        instead(
            "a chart that is an address",
            "- {group: g.example, version: v1, kind: K, chart: 'http://169.254.169.254/x.tgz'}\n",
            "169.254",
        ),
        start(
            "watches.yaml: a device",
            {},
            "/dev/zero",
            "--kubeconfig=kubeconfig",
            "--watches-file=/dev/zero",
        ),
        start(
            "watches.yaml: a folder", {}, "directory", "--kubeconfig=kubeconfig", "--watches-file=/"
        ),
    ]


def kubeconfigs() -> list[Vector]:
    """Attacks by kubeconfigs."""
    return [
        config("nothing", "", "current-context"),
        config("a list", "- 1\n", "map"),
        config("broken UTF-8", b"clusters: \xff\n", "broken kubeconfig|kubeconfig"),
        config("9 MiB", "#" * 9 * MIB, "larger than the limit"),
        config("deep lists", "clusters: " + "[" * 100000, "broken kubeconfig"),
        config(
            "aliases of aliases",
            CONFIG + LAUGHS,
            "more than 200000 values, those included that anchors repeat",
        ),
        config("an alias to itself", "clusters: &a [*a]\n", "anchors nest this file in itself"),
        config(
            "100,000 clusters and not the one",
            CONFIG.replace("name: c,", "name: d,") + "x: [" + "{name: c}," * 100000 + "]\n",
            "more than 200000 values",
            rss_mib=260,  # yaml-cpp holds all 300,000 values before they are counted.
        ),
        config(
            "a context that is a list",
            CONFIG.replace("current-context: x", "current-context: [x]"),
            "current-context",
        ),
        config(
            "a context that is not there",
            CONFIG.replace("current-context: x", "current-context: z"),
            '"z"',
        ),
        config(
            "clusters that are a text",
            CONFIG.replace("clusters: [", "clusters: text # ["),
            "clusters",
        ),
        user(
            "a command to run",
            "exec: {command: /bin/touch, args: [pwned], apiVersion:"
            " client.authentication.k8s.io/v1}",
            "missing: Never or IfAvailable",
        ),
        user(
            "an auth provider",
            "auth-provider: {name: gcp, config: {cmd-path: /bin/sh}}",
            "auth providers are not supported",
        ),
        user(
            "somebody else", f"token: {TOKEN}, as: system:admin", "impersonation is not supported"
        ),
        user("a password", f"username: u, password: {TOKEN}", "basic authentication"),
        user("a token that is a map", f"token: {{a: {TOKEN}}}", "expected a string"),
        user("a token with a line break", f'token: "{TOKEN}\\r\\nX-Evil: 1"', "line break"),
        user("a certificate without a key", "client-certificate-data: QUFB", "together"),
        user(
            "a certificate that is not base64",
            "client-certificate-data: '***', client-key-data: QUFB",
            "base64",
        ),
        user(
            "base64 that is not a certificate",
            "client-certificate-data: QUFB, client-key-data: QUFB",
            **WAITS,
        ),
        user(
            "a certificate from a device",
            "client-certificate: /dev/zero, client-key: /dev/zero",
            "/dev/zero|larger",
        ),
        user("a token from a device", "tokenFile: /dev/zero", "/dev/zero|larger"),
        server("no address", 'server: ""'),
        server("another scheme", 'server: "file:///etc/passwd"'),
        server("a user in the address", f'server: "https://u:{TOKEN}@h"'),
        server("a query in the address", 'server: "https://h/?a=b"'),
        server("a list of addresses", "server: [a, b]"),
        server("nothing but a scheme", 'server: "https://"'),
        server(
            "base64 that is not an authority",
            'server: "https://127.0.0.1:9", certificate-authority-data: QUFB',
            **WAITS,
        ),
        server(
            "an authority from a device",
            'server: "https://h", certificate-authority: /dev/zero',
            "/dev/zero|larger",
        ),
        server(
            "a contradiction",
            'server: "https://h", insecure-skip-tls-verify: true, certificate-authority-data: QUFB',
            "cannot be combined",
        ),
        server(
            "a truth of three values",
            'server: "https://h", insecure-skip-tls-verify: perhaps',
            "insecure-skip-tls-verify",
        ),
        start("kubeconfig: a folder", {}, "directory", "--kubeconfig=/"),
        start("kubeconfig: a device", {}, "larger than the limit", "--kubeconfig=/dev/zero"),
        start("kubeconfig: none", {}, "nowhere", "--kubeconfig=nowhere"),
    ]


ALL = [*watches(), *kubeconfigs()]
