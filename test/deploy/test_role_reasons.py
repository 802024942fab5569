# SPDX-License-Identifier: Apache-2.0
"""Every right in a generated role has a reason, also one that no values file of the tests needs."""

import dataclasses
import re
import subprocess

import pytest

from harness.operator import default_binary
from harness.paths import REPOSITORY

CHARTS = sorted(
    path.parent
    for folder in ("charts", "test/charts")
    for path in (REPOSITORY / folder).glob("*/Chart.yaml")
)
# A library, and a chart whose dependencies are missing: they cannot be rendered.
NO_OPERATORS = {"kit", "incomplete"}
# The rights of every operator, whose reason is the comment itself.
COMMON = {
    "The custom resources: read them, and maintain their finalizers.",
    "Their status.",
    "Clusters that check blockOwnerDeletion in owner references require these.",
    "Revisions are stored in Secrets in the namespace of each custom resource.",
    "Events about custom resources.",
    "Pods and what belongs to them, to say why children are not ready (optional).",
    "Objects that templates look up.",
}


@dataclasses.dataclass
class Rule:
    """A rule of a role: the comments above it, and its resources."""

    purpose: str
    reasons: dict[str, list[str]]
    resources: list[str]


def rules_of(role: str) -> list[Rule]:
    """Returns the rules of a generated ClusterRole. A purpose holds until the next one."""
    found, purpose, comments = [], "", []
    for line in role[role.index("\nrules:") : role.index("\n---")].splitlines():
        if line.startswith("# "):
            if re.match(r"# [a-z0-9/]+: ", line):
                comments.append(line[2:])
            else:
                purpose = line[2:]
        elif line.startswith("  resources:"):
            parted = (comment.partition(": ") for comment in comments)
            reasons = {resource: files.split(", ") for resource, _, files in parted}
            found.append(Rule(purpose, reasons, re.findall(r"[a-z0-9/]+", line.partition(":")[2])))
            comments = []
        elif item := re.match(r"  - (\S+)$", line):  # Of a list that is too long for one line.
            found[-1].resources.append(item[1])
    return found


@pytest.mark.parametrize("chart", CHARTS, ids=lambda path: path.name)
def test_each_right_has_the_file_that_needs_it(chart):
    if chart.name in NO_OPERATORS:
        pytest.skip("no operator is made of it")
    path = str(chart.relative_to(REPOSITORY))
    command = [str(default_binary()), "generate", "rbac", path, "--group", "a.example.com"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rules = rules_of(done.stdout)
    assert rules
    for rule in rules:
        if rule.purpose in COMMON:
            continue
        assert set(rule.reasons) == set(rule.resources), rule
        for files in rule.reasons.values():
            for file in files:
                name = re.sub(r" and \d+ more$", "", file)
                assert name.startswith(path), name
                # A dependency may be packed, or have another name than its folder.
                assert "/charts/" in name.removeprefix(path) or (REPOSITORY / name).exists(), name
