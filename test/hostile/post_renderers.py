# SPDX-License-Identifier: Apache-2.0
"""Programs of --post-renderer that hang, die, flood, lie and fork."""

import pathlib

from hostile.vector import TEMPLATE, Vector, chart

# Longer than the deadline, but short, so that it ends soon after the test.
SLEEP = 5
DEADLINE = 1.0


def renderer(name: str, script: str, error: str | None, template: str = "a: 1\n", **rest) -> Vector:
    """An attack by a script, which gets the manifests on its standard input."""
    inner = chart({TEMPLATE: template})

    def make(folder: pathlib.Path) -> pathlib.Path:
        (folder / "p").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "p").chmod(0o755)
        return inner(folder)

    return Vector(
        f"post-renderer: {name}", make, error, arguments=("--post-renderer", "./p"), **rest
    )


def hangs(name: str, script: str, **rest) -> Vector:
    """An attack by a script that hangs. As with Helm, there is no time limit; SIGTERM ends it."""
    return renderer(name, script, None, code=-15, deadline_seconds=DEADLINE, cpu_seconds=1, **rest)


LARGE = '{{ range until 200000 }}a{{ . }}: "0123456789012345678901234567890123456789"\n{{ end }}'
ALL = [
    hangs("one that sleeps", f"exec sleep {SLEEP}"),
    hangs("one that reads nothing and sleeps", f"exec sleep {SLEEP}", template=LARGE),
    hangs("one that closes its output and sleeps", f"exec sleep {SLEEP} >&- 2>&-"),
    hangs("one that leaves a child behind", f"cat; sleep {SLEEP} & exit 0"),
    renderer("one that dies", "exit 7", "exit status 7"),
    renderer("one that kills itself", "kill -KILL $$", "signal: killed"),
    renderer("one that crashes", "ulimit -c 0; kill -SEGV $$", "signal: segmentation fault"),
    renderer("one that dies before it reads", "exec 0<&-; exit 3", "exit status 3", LARGE),
    renderer(
        "one that stops reading", "head -c 10 >/dev/null; echo 'a: 1'", None, LARGE, output="a: 1\n"
    ),
    renderer(
        "one that floods its output", "exec cat /dev/zero", "printed more than 256 MiB", rss_mib=700
    ),
    renderer(
        "one that floods its errors",
        "exec cat /dev/zero >&2",
        "printed more than 256 MiB",
        rss_mib=700,
    ),
    renderer("one that prints no YAML", "cat >/dev/null; printf '\\000\\377{[:'", None),
    renderer("one that prints nothing", "cat >/dev/null", None),
    renderer(
        "one that prints deep lists",
        "cat >/dev/null; head -c 1000000 /dev/zero | tr '\\0' '['",
        None,
    ),
    renderer(
        "one that forks",
        'for i in 1 2 3 4 5 6 7 8; do (echo "a$i: 1" >/dev/null) & done; wait; cat',
        None,
    ),
    renderer(
        "one that talks on both",
        "cat >/dev/null; i=0; while [ $i -lt 2000 ]; do echo e >&2; echo 'a: 1'; i=$((i+1)); done",
        None,
    ),
    Vector(
        "post-renderer: a folder",
        chart({TEMPLATE: "a: 1\n"}),
        "post-renderer",
        arguments=("--post-renderer", "/tmp"),
    ),
    Vector(
        "post-renderer: nothing of that name",
        chart({TEMPLATE: "a: 1\n"}),
        "post-renderer",
        arguments=("--post-renderer", "./none"),
    ),
    Vector(
        "post-renderer: a file that is not a program",
        chart({TEMPLATE: "a: 1\n", "p": "\0\0\0"}),
        "post-renderer|permission",
        arguments=("--post-renderer", "hostile/p"),
    ),
]
