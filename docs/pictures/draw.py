#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of the documents, from the text below: run it in its folder.

A box is (column, row, width, name, lines); an arrow leads from one box to another. The pictures
have colours for light and dark screens.
"""

import dataclasses
import html
import pathlib

COLUMN, ROW, HEIGHT, GAP = 92, 104, 68, 12
STYLE = """
  text { font: 13px sans-serif; fill: #1f2328; }
  .name { font-weight: bold; }
  .note { font-size: 12px; fill: #57606a; }
  .box { fill: #ffffff; stroke: #57606a; }
  .core { fill: #ddf4ff; stroke: #0969da; }
  .outside { fill: #f6f8fa; stroke: #57606a; stroke-dasharray: 5 3; }
  .line { stroke: #57606a; stroke-width: 1.5; fill: none; }
  .head { fill: #57606a; }
  .page { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .note { fill: #9198a1; }
    .box { fill: #161b22; stroke: #9198a1; }
    .core { fill: #0c2d6b; stroke: #58a6ff; }
    .outside { fill: #21262d; stroke: #9198a1; }
    .line { stroke: #9198a1; }
    .head { fill: #9198a1; }
    .page { fill: #0d1117; }
  }
"""


@dataclasses.dataclass(frozen=True)
class Box:
    """Where a box is on the grid, and what it says."""

    column: float
    row: float
    width: float
    name: str
    lines: tuple[str, ...] = ()
    kind: str = "box"

    @property
    def left(self) -> float:
        return GAP + self.column * COLUMN

    @property
    def right(self) -> float:
        return self.left + self.width * COLUMN - GAP

    @property
    def top(self) -> float:
        return GAP + self.row * ROW

    @property
    def bottom(self) -> float:
        return self.top + HEIGHT

    def svg(self) -> list[str]:
        """Returns the box and its text."""
        middle = (self.left + self.right) / 2
        y = self.top + HEIGHT / 2 + 5 - 8 * len(self.lines)
        made = [
            (
                f'<rect class="{self.kind}" x="{self.left:g}" y="{self.top:g}" rx="6"'
                f' width="{self.right - self.left:g}" height="{HEIGHT}"/>'
            ),
        ]
        for style, line in [("name", self.name), *(("note", line) for line in self.lines)]:
            made.append(
                f'<text class="{style}" x="{middle:g}" y="{y:g}" text-anchor="middle">'
                f"{html.escape(line)}</text>"
            )
            y += 17
        return made


def arrow(start: Box, end: Box, text: str = "", shift: float = 0) -> list[str]:
    """Returns an arrow between boxes of one row, or of two, `shift` beside the middle."""
    if start.row == end.row:
        y = (start.top + start.bottom) / 2 + shift
        forward = start.left < end.left
        x1, x2 = (start.right, end.left) if forward else (start.left, end.right)
        points, at = (x1, y, x2, y), ((x1 + x2) / 2, y - 6, "middle")
    else:
        x = max(start.left, end.left) / 2 + min(start.right, end.right) / 2 + shift
        y1, y2 = (start.bottom, end.top) if start.top < end.top else (start.top, end.bottom)
        points, at = (x, y1, x, y2), (x + 7, (y1 + y2) / 2 + 4, "start")
    made = ['<path class="line" marker-end="url(#head)" d="M{:g} {:g}L{:g} {:g}"/>'.format(*points)]
    if text:
        made.append(
            f'<text class="note" x="{at[0]:g}" y="{at[1]:g}" text-anchor="{at[2]}">'
            f"{html.escape(text)}</text>"
        )
    return made


def picture(title: str, boxes: list[Box], arrows: list[list[str]]) -> str:
    """Returns the SVG."""
    width = max(box.right for box in boxes) + GAP
    height = max(box.bottom for box in boxes) + GAP
    body = [line for part in [*(box.svg() for box in boxes), *arrows] for line in part]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"'
        f' width="{width:g}" height="{height:g}" role="img">\n<title>{html.escape(title)}</title>\n'
        f"<style>{STYLE}</style>\n"
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8"'
        ' markerHeight="8" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>\n'
        '<rect class="page" width="100%" height="100%"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


def architecture() -> str:
    """Returns the picture of the parts and what passes between them."""
    user = Box(0, 0, 2, "user, Flux, Argo CD", ("custom resource",), "outside")
    server = Box(3, 0, 7, "Kubernetes API server", (), "outside")
    caches = Box(3, 1, 2, "caches", ("watches", "runtime, observe"))
    queue = Box(5.5, 1, 2, "queue, workers", ("one key at a time", "runtime"))
    calls = Box(8, 1, 2, "calls", ("apply, status, records", "release, history"))
    charts = Box(0, 2, 2, "watches.yaml, charts", ("operator/ folder", "bundle"))
    reconcile = Box(3, 2, 7, "reconcile", ("what is to be done, and in which order", "operator"))
    render = Box(0, 3, 4, "render", ("chart, spec → objects", "helm, tmpl, yaml"), "core")
    plan = Box(4.5, 3, 2.5, "plan", ("desired, live → steps", "release"), "core")
    status = Box(7.5, 3, 2.5, "status", ("state, outcome → document", "resource"), "core")
    beside = Box(11, 1, 2, "outside", ("HTTP, gRPC", "external, grpc"), "outside")
    parts = [user, server, caches, queue, calls, charts, reconcile, render, plan, status, beside]
    return picture(
        "Architecture of Chartwright",
        parts,
        [
            arrow(user, server),
            arrow(server, caches, "events"),
            arrow(caches, queue),
            arrow(queue, reconcile),
            arrow(reconcile, caches, "reads"),
            arrow(reconcile, calls),
            arrow(calls, server, "writes"),
            arrow(calls, beside),
            arrow(charts, reconcile),
            arrow(reconcile, render),
            arrow(reconcile, plan),
            arrow(reconcile, status),
        ],
    )


def one_reconcile() -> str:
    """Returns the picture of one reconcile, from the event to the status."""
    event = Box(0, 0, 2.2, "event", ("spec, child, chart", "or a time"), "outside")
    look = Box(2.7, 0, 2.2, "look", ("children in the caches", "digest of the inputs"))
    goal = Box(5.4, 0, 2.2, "goal?", ("inputs and requests", "against the status"))
    keep = Box(8.1, 0, 2.2, "keep", ("repair drift", "at rest: no request"))
    render = Box(5.4, 1, 2.2, "render", ("a new spec or chart", "or a stored revision"), "core")
    refuse = Box(8.1, 1, 2.2, "refused", ("nothing changes", "Stalled says why"))
    announce = Box(5.4, 2, 2.2, "announce", ("new children", "into the status first"))
    hooks = Box(2.7, 2, 2.2, "hooks, record", ("pre-upgrade, if any",))
    apply = Box(0, 2, 2.2, "plan, apply", ("only what differs", "server-side"))
    prune = Box(0, 3, 2.2, "prune", ("only if all was applied",))
    after = Box(2.7, 3, 2.2, "hooks, record", ("post-upgrade",))
    status = Box(5.4, 3, 2.2, "status", ("Ready, history, Events",))
    fail = Box(8.1, 3, 2.2, "failed", ("hold, or roll back", "retried with patience"))
    parts = [
        event,
        look,
        goal,
        keep,
        render,
        refuse,
        announce,
        hooks,
        apply,
        prune,
        after,
        status,
        fail,
    ]
    return picture(
        "One reconcile",
        parts,
        [
            arrow(event, look),
            arrow(look, goal),
            arrow(goal, keep, "same"),
            arrow(goal, render, "other"),
            arrow(render, refuse, "error"),
            arrow(render, announce, "objects"),
            arrow(announce, hooks),
            arrow(hooks, apply),
            arrow(apply, prune),
            arrow(prune, after),
            arrow(after, status),
            arrow(fail, status),
        ],
    )


def main() -> None:
    """Writes the pictures."""
    folder = pathlib.Path(__file__).resolve().parent
    for name, made in {"architecture": architecture(), "reconcile": one_reconcile()}.items():
        (folder / f"{name}.svg").write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
