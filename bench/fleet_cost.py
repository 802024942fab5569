# SPDX-License-Identifier: Apache-2.0
"""The command line of the benchmark of a fleet: what `get` takes, and what broken ones cost."""

import argparse
import dataclasses
import os
import statistics
import subprocess
import sys
import time

from bench.children import MERGE, count_ready_reasons, deployment_status, make_ready
from bench.main import Row, open_bench, print_table
from bench.measure import AGENT, PLURAL, Bench
from bench.sender import Request
from harness import audit
from harness.operator import Operator, default_binary

_ROOM = "fleet"
_PODS = f"/api/v1/namespaces/{_ROOM}/pods"
_GETS = 5
# Ten searches for causes begin in a second, the first one ten seconds after a change. The second
# minute has the next ones of each child.
_MINUTES = 2


@dataclasses.dataclass(frozen=True)
class Rest:
    """The cost of a time in which nobody changes a custom resource."""

    requests: list[audit.Request]
    cpu_seconds: float


def main(arguments: list[str]) -> int:
    """Runs the benchmark; returns 0 if every figure is within its limit, else 1."""
    options = _parse(arguments)
    if not os.access(default_binary(), os.X_OK):
        print(f"bench: {default_binary()} is not there; make build builds it", file=sys.stderr)
        return 1
    with open_bench(options.count) as bench:
        bench.prepare(_ROOM)
        with bench.operator(_ROOM) as operator:
            _progress(f"installing {options.count} BookStores")
            bench.install(operator, _ROOM)
            names = [store["metadata"]["name"] for store in bench.cluster.kube.list(PLURAL, _ROOM)]
            make_ready(bench, _ROOM)
            _progress(f"none broken: {_MINUTES} minutes")
            whole = _rest(bench, operator)
            broken = names[: options.broken]
            _break(bench, broken)
            _progress(f"{len(broken)} broken: {_MINUTES} minutes")
            sick = _rest(bench, operator)
            told = count_ready_reasons(bench, _ROOM, "ImagePull")
        _progress(f"get over {options.listed}")
        rows = [
            *_rest_rows(whole, sick, len(broken)),
            Row("broken ones whose Ready does not name the cause", len(broken) - told, "", 0.0),
            *_get_rows(bench, options.listed - len(names)),
        ]
    print_table(rows)
    return 0 if all(row.passes() for row in rows) else 1


def _rest_rows(whole: Rest, sick: Rest, broken: int) -> list[Row]:
    searches = [r for r in sick.requests if not r.is_write()]
    return [
        Row("requests a minute, none broken", len(whole.requests) / _MINUTES, "", 0.0),
        Row("CPU a minute, none broken", whole.cpu_seconds * 1000 / _MINUTES, "ms"),
        Row(
            f"reads for each of {broken} broken, {_MINUTES} minutes", len(searches) / broken, "", 16
        ),
        Row("writes for each", (len(sick.requests) - len(searches)) / broken, "", 3.0),
        Row("CPU a minute, with these", sick.cpu_seconds * 1000 / _MINUTES, "ms"),
        Row(
            "more CPU for each broken one, in all",
            (sick.cpu_seconds - whole.cpu_seconds) * 1000 / broken,
            "ms",
            50.0,
        ),
    ]


def _get_rows(bench: Bench, more: int) -> list[Row]:
    """Measures `get -A` over what there is, and `more` without an operator."""
    bench.sender.send([[_bare(number)] for number in range(more)])
    kubeconfig = str(bench.cluster.state.kubeconfig)
    ours = [default_binary(), "get", "-A", "--kubeconfig", kubeconfig]
    mark = bench.cluster.audit.mark()
    lines = _run(ours).stdout.count("\n")
    lists = [r for r in bench.cluster.audit.requests(mark, verb="list") if AGENT in r.user_agent]
    kinds = len(bench.cluster.kube.list("apiextensions.k8s.io/v1/CustomResourceDefinition"))
    seconds = statistics.median(_time(ours) for _ in range(_GETS))
    theirs = ["kubectl", "--kubeconfig", kubeconfig, "get", PLURAL, "-A"]
    peer = statistics.median(_time(theirs) for _ in range(_GETS))
    return [
        Row(f"get -A over {lines - 1} custom resources", seconds, "s", 1.0),
        Row("kubectl get over the same", peer, "s"),
        Row(f"lists of get, of {kinds} kinds", len(lists), "", kinds),
    ]


def _run(command: list[str]) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, check=True)


def _time(command: list[str]) -> float:
    started = time.monotonic()
    _run(command)
    return time.monotonic() - started


def _bare(number: int) -> Request:
    name = f"bare-{number:04}"
    body = {
        "apiVersion": "blog.velotio.com/v1alpha1",
        "kind": "BookStore",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"bookApp": {"tag": "1.0"}},
    }
    path = "/apis/blog.velotio.com/v1alpha1/namespaces/default/bookstores"
    return Request("POST", path, "application/json", body)


def _break(bench: Bench, names: list[str]) -> None:
    """Has the pod of each Deployment wait for an image that there is not."""
    bench.sender.send(
        [[_pod(name), _pod_status(name), deployment_status(_ROOM, name, ready=0)] for name in names]
    )


def _rest(bench: Bench, operator: Operator) -> Rest:
    mark, cpu = bench.cluster.audit.mark(), operator.cpu_seconds()
    time.sleep(60 * _MINUTES)
    return Rest(_requests(bench, mark), operator.cpu_seconds() - cpu)


def _requests(bench: Bench, mark: audit.Mark) -> list[audit.Request]:
    found = bench.cluster.audit.requests(mark, user_agent=AGENT)
    return [r for r in found if r.verb != "watch" and r.resource not in ("events", "leases")]


def _pod(name: str) -> Request:
    body = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"{name}-x",
            "namespace": _ROOM,
            "labels": {
                "app.kubernetes.io/name": "bookstore",
                "app.kubernetes.io/instance": name,
                "app.kubernetes.io/component": "app",
            },
        },
        "spec": {"containers": [{"name": "main", "image": "none:1"}]},
    }
    return Request("POST", _PODS, "application/json", body)


def _pod_status(name: str) -> Request:
    waiting = {"reason": "ImagePullBackOff", "message": "no such image"}
    container = {
        "name": "main",
        "image": "none:1",
        "imageID": "",
        "ready": False,
        "restartCount": 0,
        "state": {"waiting": waiting},
    }
    status = {"phase": "Pending", "containerStatuses": [container]}
    return Request("PATCH", f"{_PODS}/{name}-x/status", MERGE, {"status": status})


def _progress(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/fleet",
        description="Measures the operator of a fleet of which some custom resources are broken, "
        "and `chartwright get` over all of them. Exit code 1 if a figure is over its limit.",
    )
    parser.add_argument("--count", type=int, default=1000, help="custom resources to install")
    parser.add_argument("--broken", type=int, default=100, help="those of them to break")
    parser.add_argument("--listed", type=int, default=3000, help="custom resources for get")
    return parser.parse_args(arguments)
