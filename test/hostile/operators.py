# SPDX-License-Identifier: Apache-2.0
"""One operator under many attacks.

After each it must still answer, reconcile, stay small and not print secrets.
"""

import contextlib
import dataclasses
import json
import pathlib
import re
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterable

from harness.cluster import Cluster
from harness.confinement import confined
from harness.connection import ApiError
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions
from harness.process import cpu_seconds
from hostile.apiserver import GROUP, NAMESPACE, ApiServer
from hostile.measure import FOLDER_PREFIX, TIMES, assert_within, binary
from hostile.real import RealServer
from hostile.vector import CHART, TEMPLATE

GOOD = "Good"
CONFIG_MAP = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}'}\ndata: {size: '{{"
    " .Values.size }}'}\n"
)
KUBECONFIG = """\
clusters: [{name: c, cluster: {server: "%s"}}]
users: [{name: u, user: {token: t0ken-of-the-operator}}]
contexts: [{name: x, context: {cluster: c, user: u, namespace: default}}]
current-context: x
"""
TOKEN = "t0ken-of-the-operator"
WAIT_SECONDS = 40 * TIMES


@dataclasses.dataclass(frozen=True)
class Encounter:
    """One attack on a running operator. `attack` performs it and may wait for conditions."""

    name: str
    kind: str  # The kind of the custom resource under attack.
    attack: Callable[["Stage"], None]
    # A regular expression for conditions of the custom resource or a line of the log.
    reported: str
    # Files of the kind's chart; default: a ConfigMap.
    charts: dict[str, str | bytes] = dataclasses.field(default_factory=dict)
    cpu_seconds: float = 15
    rss_mib: int = 400  # Maximum rise of the peak above the resident memory before.
    secret: str | None = None
    refused: str | None = (
        None  # A regular expression for the error with which a real API server refuses the write.
    )
    collected: bool = (
        False  # A garbage collector deletes the custom resource before the attack has any effect.
    )
    defect: str | None = None


def chart_files(encounter: Encounter) -> dict[str, str | bytes]:
    """Returns the chart of the encounter's kind."""
    return {
        "Chart.yaml": CHART.replace("hostile", encounter.kind.lower()),
        TEMPLATE: CONFIG_MAP,
        "values.yaml": "size: 0\n",
        **encounter.charts,
    }


class Stage:
    """An API server, an operator that watches a kind for each encounter, and a good custom
    resource.
    """

    def __init__(
        self,
        encounters: list[Encounter],
        folder: pathlib.Path,
        cluster: Cluster | None,
        limit: int | None,
    ):
        self.folder = folder
        self.wrapper = () if limit is None else confined(limit)
        kinds = sorted({encounter.kind for encounter in encounters} | {GOOD})
        charts = {encounter.kind: chart_files(encounter) for encounter in encounters}
        charts[GOOD] = {
            "Chart.yaml": CHART.replace("hostile", "good"),
            TEMPLATE: CONFIG_MAP,
            "values.yaml": "size: 0\n",
        }
        for kind, files in charts.items():
            for path, text in files.items():
                file = folder / kind / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(text if isinstance(text, bytes) else text.encode())
        (folder / "watches.yaml").write_text(
            "".join(
                f"- {{group: {GROUP}, version: v1, kind: {kind}, chart: {folder}/{kind},"
                " reconcilePeriod: 1h, dryRunOption: server, adoption: author}\n"
                for kind in kinds
            )
        )
        self.server = ApiServer(kinds) if cluster is None else RealServer(cluster, kinds)
        self.kubeconfig = folder / "kubeconfig" if cluster is None else cluster.kubeconfig
        if cluster is None:
            self.kubeconfig.write_text(KUBECONFIG % self.server.url)
        self.checked = cluster is not None  # Whether the server validates objects.
        self.operator: Operator | None = None
        self.count = 0

    def start(self) -> None:
        """Starts the operator, or restarts it if it has ended."""
        if self.operator is not None and self.operator.running():
            return
        if self.operator is not None:
            self.operator.close()
        options = OperatorOptions(
            self.kubeconfig,
            self.folder / "watches.yaml",
            (NAMESPACE,),
            ("--max-concurrent-reconciles=1",),
            binary=binary(),
            log_path=self.folder / "log",
            wrapper=self.wrapper,
        )
        self.operator = Operator(options).start(timeout_seconds=WAIT_SECONDS)
        self.reconcile_good()

    def close(self) -> None:
        """Stops the operator and the server."""
        if self.operator is not None:
            self.operator.kill()
            self.operator.close()
        self.server.close()

    def put(self, kind: str, spec: object = None, **metadata) -> None:
        """Creates or changes the custom resource of a kind."""
        body = {
            "apiVersion": f"{GROUP}/v1",
            "kind": kind,
            "metadata": {"name": kind.lower(), **metadata},
            "spec": {} if spec is None else spec,
        }
        self.server.put(GROUP, kind.lower() + "s", body)

    def push(self, kind: str, stream: bytes | Iterable[bytes] | None) -> None:
        """Sends raw bytes to the watch of a kind as soon as it is open."""
        wait_until(
            lambda: self.server.push(GROUP, kind.lower() + "s", stream),
            timeout_seconds=WAIT_SECONDS,
            what=f"a watch of {kind}",
        )

    def event(self, kind: str, type_: str, obj: object) -> None:
        """Sends one event."""
        self.push(kind, json.dumps({"type": type_, "object": obj}).encode() + b"\n")

    def reconcile_good(self) -> None:
        """Changes the good custom resource and waits for the change of its ConfigMap."""
        self.count += 1
        self.put(GOOD, {"size": self.count})
        wait_until(
            lambda: (
                ((self.server.get("", "configmaps", "good") or {}).get("data") or {}).get("size")
                == str(self.count)
                or not self.operator.running()
            ),
            timeout_seconds=WAIT_SECONDS,
            what="the good ConfigMap",
        )

    def revision(self, kind: str) -> int:
        """Returns the deployed revision of the kind's custom resource; 0 if there is none."""
        live = self.server.get(GROUP, kind.lower() + "s", kind.lower()) or {}
        return (live.get("status") or {}).get("revision", 0)

    def status(self, kind: str) -> str:
        """Returns the whole status of the kind's custom resource."""
        return json.dumps(
            (self.server.get(GROUP, kind.lower() + "s", kind.lower()) or {}).get("status")
        )

    def said(self, kind: str, since: int) -> str:
        """Returns the conditions of the kind's custom resource and the log since then."""
        live = self.server.get(GROUP, kind.lower() + "s", kind.lower()) or {}
        return (
            json.dumps((live.get("status") or {}).get("conditions", []), ensure_ascii=False)
            + "\n"
            + self.log(since)
        )

    def wait_reported(self, kind: str, pattern: str, since: int) -> None:
        """Blocks until the conditions or the log match `pattern`."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not re.search(pattern, self.said(kind, since), re.DOTALL):
            assert self.operator.running(), f"the operator ended: {self.log()[-500:]}"
            assert time.monotonic() < deadline, (
                f"{pattern!r} was not reported: {self.said(kind, since)[-1500:]}"
            )
            time.sleep(0.01)

    def log(self, since: int = 0) -> str:
        """Returns the log from an offset on."""
        return (self.folder / "log").read_bytes()[since:].decode(errors="replace")

    def peak_mib(self) -> float:
        """Returns the peak memory of the operator since `reset_peak`."""
        status = pathlib.Path(f"/proc/{self.operator.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024

    def reset_peak(self) -> float:
        """Resets the peak; returns the resident memory.

        Some of it may remain from an earlier attack for some seconds.
        """
        pathlib.Path(f"/proc/{self.operator.pid}/clear_refs").write_text("5", encoding="ascii")
        return self.peak_mib()

    def healthy(self) -> bool:
        """Reports whether /healthz answers."""
        with urllib.request.urlopen(
            f"http://127.0.0.1:{self.operator.health_port}/healthz", timeout=WAIT_SECONDS
        ) as answer:
            return answer.status == 200


@contextlib.contextmanager
def stage(encounters: list[Encounter], cluster: Cluster | None = None, limit: int | None = None):
    """Yields a stage in a folder of its own.

    It has a fake API server unless `cluster` is given. `limit` is the memory limit in bytes that
    the operator sees.
    """
    with tempfile.TemporaryDirectory(prefix=FOLDER_PREFIX) as name:
        made = Stage(encounters, pathlib.Path(name), cluster, limit)
        try:
            yield made
        finally:
            made.close()


def meet(on: Stage, encounter: Encounter) -> tuple[float, float]:
    """Attacks the operator; returns CPU seconds and the rise of the peak in MiB.

    Raises AssertionError on any failure.
    """
    on.start()
    resident = on.reset_peak()
    before, since = cpu_seconds(on.operator.pid), len(on.log())
    try:
        if not refused(on, encounter):
            on.wait_reported(encounter.kind, encounter.reported, since)
        assert on.healthy()
        on.reconcile_good()
        assert on.operator.running(), f"the operator ended: {on.log()[-500:]}"
        used, peak = cpu_seconds(on.operator.pid) - before, on.peak_mib() - resident
        for secret in (TOKEN, *([encounter.secret] if encounter.secret else [])):
            assert secret not in on.status(encounter.kind) + on.log(since)
    finally:
        on.server.remove(GROUP, encounter.kind.lower() + "s", encounter.kind.lower())
    assert_within(used, encounter.cpu_seconds)
    assert peak <= TIMES * encounter.rss_mib, f"{peak:.0f} MiB"
    return used, peak


def refused(on: Stage, encounter: Encounter) -> bool:
    """Runs the attack; reports whether the server refused it.

    A server that validates must refuse it if the encounter says so.
    """
    try:
        encounter.attack(on)
    except ApiError as error:
        assert encounter.refused and re.search(encounter.refused, str(error)), error
        return True
    assert not (on.checked and encounter.refused), "the API server took it"
    return False
