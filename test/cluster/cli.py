# SPDX-License-Identifier: Apache-2.0
"""The command line of `test/cluster/cluster`."""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Callable

from cluster import build, control, supervisor
from cluster.components import Options
from cluster.go_toolchain import ToolchainError
from cluster.state import State, StateError, names
from harness import process
from harness.connection import ApiError

_DEFAULT_NAME = "default"


def main(arguments: list[str]) -> int:
    """Runs one subcommand; returns its exit code, or 2 for a usage error."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except (StateError, ToolchainError, build.BuildError, ApiError) as error:
        print(f"cluster: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _build(options: argparse.Namespace) -> int:
    unknown = set(options.binary) - set(build.BINARIES)
    if unknown:
        raise StateError(
            f"no such binary: {', '.join(sorted(unknown))}; there are {', '.join(build.BINARIES)}"
        )
    for path in build.ensure(options.binary or tuple(build.BINARIES)).values():
        print(path)
    return 0


def _up(options: argparse.Namespace) -> int:
    control.up(options.name, _cluster_options(options), owner_pid=options.owner_pid)
    print(State(options.name).kubeconfig)
    return 0


def _down(options: argparse.Namespace) -> int:
    control.down(options.name)
    return 0


def _status(options: argparse.Namespace) -> int:
    clusters = [options.name] if options.name else names() or [_DEFAULT_NAME]
    return max([_print_status(State(name)) for name in clusters])


def _print_status(state: State) -> int:
    record = state.read()
    if not record:
        print(f"{state.name}: down")
        return 1
    processes = state.processes()
    healthy = record["ready"] and control.apiserver_ready(state)
    print(f"{state.name}: {record['server']} {'ready' if healthy else 'not ready'}")
    for name in ("supervisor", *record["components"]):
        running = name in processes and processes[name].alive()
        healthy = healthy and running
        if running:
            megabytes = process.resident_bytes(processes[name].pid) / 1e6
            print(f"  {name}: pid {processes[name].pid}, {megabytes:.0f} MB")
        else:
            print(f"  {name}: not running; its log: {state.logs / (name + '.log')}")
    return 0 if healthy else 1


def _kubeconfig(options: argparse.Namespace) -> int:
    state = State(options.name)
    if not state.read().get("ready"):
        raise StateError(f"cluster {options.name!r} is not up")
    if options.service_account is None:
        print(state.kubeconfig)
        return 0
    namespace, _, name = options.service_account.partition("/")
    if not namespace or not name:
        raise StateError(f"--service-account {options.service_account!r}: want NAMESPACE/NAME")
    print(control.service_account_kubeconfig(state, namespace, name))
    return 0


def _run(options: argparse.Namespace) -> int:
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        raise StateError("run: a command is needed after --")
    control.up(options.name, _cluster_options(options), owner_pid=os.getpid())
    try:
        state = State(options.name)
        environment = {
            **os.environ,
            "KUBECONFIG": str(state.kubeconfig),
            "CHARTWRIGHT_CLUSTER": options.name,
        }
        code = _run_command(command, environment)
        return code if code >= 0 else 128 - code
    finally:
        control.down(options.name)


def _run_command(command: list[str], environment: dict) -> int:
    # Ctrl-C is left to the child command, which takes the time that it needs. (This is a handler,
    # because children would inherit an ignored signal, and it precedes the child, which may be
    # interrupted as soon as it runs.)
    previous = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        child = subprocess.Popen(process.tied_to_parent(command), env=environment)
        return child.wait()
    finally:
        signal.signal(signal.SIGINT, previous)


def _component(options: argparse.Namespace) -> int:
    control.ask(State(options.name), options.verb, options.component)
    return 0


def _supervise(options: argparse.Namespace) -> int:
    return supervisor.run_reporting(options.name, _cluster_options(options), options.owner_pid)


def _cluster_options(options: argparse.Namespace) -> Options:
    policy = options.audit_policy
    return Options(
        pods=not options.no_pods,
        audit_policy=str(pathlib.Path(policy).absolute()) if policy else None,
        apiserver_args=tuple(options.apiserver_arg),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cluster", description="A real Kubernetes control plane on this machine, for tests."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("build", help="build binaries that the cache lacks; print paths")
    command.add_argument("binary", nargs="*", help=f"of {', '.join(build.BINARIES)}; default: all")
    command.set_defaults(run=_build)
    command = _named(commands, "up", _up, "start a cluster; print the path of its kubeconfig")
    _add_options(command)
    command.add_argument(
        "--owner-pid", type=int, metavar="PID", help="end the cluster when this process ends"
    )
    _named(commands, "down", _down, "end a cluster and remove everything it kept")
    command = _named(commands, "status", _status, "show what runs; exit 0 only if all is well")
    command.set_defaults(name=None)
    command = _named(commands, "kubeconfig", _kubeconfig, "print the path of a kubeconfig (admin)")
    command.add_argument(
        "--service-account", metavar="NAMESPACE/NAME", help="for this account, with a fresh token"
    )
    command = _named(commands, "run", _run, "start a cluster, run a command in it, end it")
    _add_options(command)
    command.add_argument("command", nargs=argparse.REMAINDER, metavar="-- CMD ...")
    for verb in ("stop", "start"):
        command = _named(commands, verb, _component, f"{verb} one component of a cluster")
        command.add_argument("component")
        command.set_defaults(verb=verb)
    # Hidden: `up` starts it in the background.
    command = _named(commands, "_supervise", _supervise, None)
    _add_options(command)
    command.add_argument("--owner-pid", type=int)
    return parser


def _named(
    commands: argparse._SubParsersAction,
    name: str,
    run: Callable[[argparse.Namespace], int],
    text: str | None,
) -> argparse.ArgumentParser:
    help_text = {} if text is None else {"help": text}
    command = commands.add_parser(name, **help_text)
    command.add_argument("--name", default=_DEFAULT_NAME, help="which cluster (default: default)")
    command.set_defaults(run=run)
    return command


def _add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--no-pods",
        action="store_true",
        help="only the controllers for garbage, namespaces and service accounts; no node",
    )
    command.add_argument("--audit-policy", metavar="FILE", help="instead of Metadata for all")
    command.add_argument(
        "--apiserver-arg", action="append", default=[], metavar="ARG", help="added; repeatable"
    )
