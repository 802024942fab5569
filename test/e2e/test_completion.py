# SPDX-License-Identifier: Apache-2.0
"""The scripts of `chartwright completion` in real shells: from keys to program arguments."""

import http.server
import json
import os
import pathlib
import pty
import select
import shutil
import subprocess
import threading
import time

import pytest

from harness.operator import default_binary

SECONDS_MAX = 30
# How to start each shell without the user's files, and how to load the script.
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source {script}\n"),
    "zsh": (["zsh", "-f", "-i"], "autoload -U compinit; compinit -u -D; source {script}\n"),
    "fish": (["fish", "--no-config", "-i"], "source {script}\n"),
}

# The keys typed after the program's name, and the arguments that the program gets.
TYPED = [
    ("templ\t.", ["template", "."]),
    ("template --incl\t.", ["template", "--include-crds", "."]),
    ("template --helm-version 4\t.", ["template", "--helm-version", "4.3", "."]),
    ("template --helm-version=4\t.", ["template", "--helm-version=4.3", "."]),
    ("template --dry-run=s\t.", ["template", "--dry-run=server", "."]),
    ("template -f val\t.", ["template", "-f", "values.yaml", "."]),
    ("template -f with\t.", ["template", "-f", "with space.yaml", "."]),
    ("template -f a@b\t.", ["template", "-f", "a@b.yaml", "."]),
    ("template --values=a@\t.", ["template", "--values=a@b.yaml", "."]),
    ("template --values=val\t.", ["template", "--values=values.yaml", "."]),
    ("template --set a=b,c=d --incl\t.", ["template", "--set", "a=b,c=d", "--include-crds", "."]),
    ("template --output-dir fol\tx", ["template", "--output-dir", "folder/x"]),
    ("template name fol\tx", ["template", "name", "folder/x"]),
    ("lint --strict fol\tx", ["lint", "--strict", "folder/x"]),
    ("completion z\t", ["completion", "zsh"]),
    ("generate do\tx", ["generate", "docs", "x"]),
    ("template --nothing\t.", ["template", "--nothing."]),
    ("get sho\t.", ["get", "shops", "."]),
    ("why shop/\t.", ["why", "shop/one", "."]),
    ("get shops o\t.", ["get", "shops", "one", "."]),
    ("tree -n team shop/\t.", ["tree", "-n", "team", "shop/two", "."]),
    ("get -n tea\t.", ["get", "-n", "team", "."]),
    ("get --namespace=tea\t.", ["get", "--namespace=team", "."]),
    ("get --context kube\t.", ["get", "--context", "kubernetes-admin@kubernetes", "."]),
    ("get --context=kubernetes-admin@k\t.", ["get", "--context=kubernetes-admin@kubernetes", "."]),
    ("get --context arn:aws:e\t.", ["get", "--context", "arn:aws:eks:cluster/a", "."]),
    ("rollback shop/one --to 1\t.", ["rollback", "shop/one", "--to", "12", "."]),
]

# The names of a hostile API server, each of which a shell would run, or take for something else.
HOSTILE = [
    "$(touch ~/hacked)",
    "`touch ~/hacked`",
    "o;touch ~/hacked",
    "-rf",
    ":files",
    "o\nne",
    "*",
]
SHOPS = "/apis/example.com/v1/namespaces/{}/shops"
ANSWERS = {
    "/apis": {
        "items": [
            {
                "metadata": {"name": "example.com"},
                "versions": [
                    {
                        "version": "v1",
                        "resources": [
                            {
                                "resource": plural,
                                "responseKind": {"kind": "Shop"},
                                "singularResource": "shop",
                                "scope": "Namespaced",
                                "categories": ["chartwright"],
                            }
                        ],
                    }
                ],
            }
            for plural in ("shops", HOSTILE[0])
        ]
    },
    "/api/v1/namespaces": ["default", "team", *HOSTILE],
    SHOPS.format("default"): ["one", *HOSTILE],
    SHOPS.format("team"): ["two", *HOSTILE],
    SHOPS.format("default") + "/one": {
        "status": {"history": [{"revision": 3, "chart": HOSTILE[0]}, {"revision": 12}]}
    },
}


class HostileServer(http.server.BaseHTTPRequestHandler):
    """Answers a GET of a path."""

    def do_GET(self) -> None:
        """Sends the answer, or none."""
        answer = ANSWERS.get(self.path.partition("?")[0], {})
        if isinstance(answer, list):
            answer = {"items": [{"metadata": {"name": name}} for name in answer]}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, format: str, *args) -> None:
        """Logs nothing."""


class Terminal:
    """A shell at a terminal, in a folder with a few files."""

    def __init__(self, shell: str, folder: pathlib.Path, kubeconfig: pathlib.Path):
        self._arguments = folder / "arguments"
        self.home = folder / "home"
        script, bin_folder, home = folder / "script", folder / "bin", folder / "home"
        bin_folder.mkdir()
        (home / "folder").mkdir(parents=True)
        for name in ("values.yaml", "with space.yaml", "a@b.yaml"):
            (home / name).touch()
        script.write_text(
            subprocess.run(
                [default_binary(), "completion", shell], check=True, capture_output=True, text=True
            ).stdout
        )
        program = bin_folder / "chartwright"
        program.write_text(
            f'#!/bin/sh\n[ "$1" = __complete ] && exec {default_binary()} "$@"\nprintf "%s\\n" "$@"'
            f" >{self._arguments}.new && mv {self._arguments}.new {self._arguments}\n"
        )
        program.chmod(0o755)
        command, prepare = SHELLS[shell]
        environment = {
            "PATH": f"{bin_folder}:{os.environ['PATH']}",
            "HOME": str(home),
            "KUBECONFIG": str(kubeconfig),
            "TERM": "xterm",
            "LANG": "C.UTF-8",
        }
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.chdir(home)
            os.execvpe(command[0], command, environment)
        self._type(prepare.format(script=script) + "chartwright ready\n")
        assert self._got() == ["ready"]

    def _type(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def _got(self) -> list[str]:
        """Waits until the program runs and returns its arguments; discards the shell's output."""
        shown, end = b"", time.monotonic() + SECONDS_MAX
        while time.monotonic() < end:
            if select.select([self._terminal], [], [], 0.01)[0]:
                shown += os.read(self._terminal, 65536)
            elif self._arguments.exists():
                arguments = self._arguments.read_text().splitlines()
                self._arguments.unlink()
                return arguments
        raise AssertionError(f"the program was not run; the shell shows {shown!r}")

    def run(self, keys: str) -> list[str]:
        """Types a line and returns the arguments of the program."""
        self._type(f"chartwright {keys}\n")
        return self._got()

    def close(self) -> None:
        """Ends the shell by closing its terminal."""
        os.close(self._terminal)
        os.waitpid(self.pid, 0)


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory):
    """The kubeconfig of a hostile API server."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), HostileServer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        contexts = ["kubernetes-admin@kubernetes", "arn:aws:eks:cluster/a", HOSTILE[0]]
        there = {"server": f"http://127.0.0.1:{server.server_port}"}
        path = tmp_path_factory.mktemp("hostile") / "config"
        path.write_text(
            json.dumps(
                {
                    "current-context": contexts[0],
                    "clusters": [{"name": "c", "cluster": there}],
                    "contexts": [{"name": name, "context": {"cluster": "c"}} for name in contexts],
                }
            ),
            encoding="utf-8",
        )
        yield path
        server.shutdown()


@pytest.fixture(scope="module", params=SHELLS)
def terminal(request, tmp_path_factory, kubeconfig):
    """A terminal with each shell in turn; only bash is required."""
    if request.param != "bash" and shutil.which(request.param) is None:
        pytest.skip(f"no {request.param} here")
    opened = Terminal(request.param, tmp_path_factory.mktemp(request.param), kubeconfig)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    "keys, arguments", TYPED, ids=[keys.replace("\t", "TAB") for keys, _ in TYPED]
)
def test_a_word_is_completed(terminal, keys, arguments):
    assert terminal.run(keys) == arguments
    assert not (terminal.home / "hacked").exists()
