# SPDX-License-Identifier: Apache-2.0
"""The shipped folders of manifests are as `chartwright generate` writes them."""

import pathlib
import subprocess

import pytest

from harness.operator import default_binary
from harness.paths import REPOSITORY

# Each folder with the arguments that make it (also the command that makes it anew).
SHIPPED = {
    "deploy": ("manifests",),
    "charts/farm/deploy": (
        "manifests",
        "charts/farm/views",
        "--name",
        "farm-operator",
        "--namespace",
        "default",
    ),
}
# Written by hand: an option of the user's kustomization.
BY_HAND = {"deploy": ("components/", "integrations/", "monitoring/")}


def generate(*arguments: str) -> str:
    """Returns what `chartwright generate` prints."""
    command = [str(default_binary()), "generate", *arguments]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def texts_of(folder: pathlib.Path) -> dict[str, str]:
    """Returns the files below a folder by their path."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    texts = {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in paths}
    # A sample is the author's once it exists: `generate` does not replace it.
    return {path: "" if path.startswith("samples/") else text for path, text in texts.items()}


def differing(shipped: dict[str, str], made: dict[str, str]) -> list[str]:
    """Returns the paths that are missing, left over or out of date."""
    return sorted(path for path in shipped | made if shipped.get(path) != made.get(path))


@pytest.mark.parametrize("folder", SHIPPED)
def test_every_shipped_manifest_is_generated(folder, tmp_path):
    generate(*SHIPPED[folder], "--output-dir", str(tmp_path))
    shipped = texts_of(REPOSITORY / folder)
    for path in list(shipped):
        if path.startswith(BY_HAND.get(folder, "-")):
            del shipped[path]
    command = " ".join(("chartwright generate", *SHIPPED[folder], "--output-dir", folder))
    assert differing(shipped, texts_of(tmp_path)) == [], f"out of date: {command}"


def test_every_folder_of_manifests_is_checked():
    found = {
        str(path.parent.relative_to(REPOSITORY))
        for top in ("deploy", "charts")
        for path in (REPOSITORY / top).rglob("kustomization.yaml")
    }
    below = {path for path in found if any(path.startswith(folder) for folder in SHIPPED)}
    assert found == below and found


def test_a_manifest_that_is_missing_left_over_or_changed_is_stale():
    made = {"a": "1", "b": "2"}
    assert differing({"a": "1", "b": "2"}, made) == []
    assert differing({"a": "1"}, made) == ["b"]
    assert differing({"a": "1", "b": "3", "c": ""}, made) == ["b", "c"]


def test_the_documentation_of_the_kinds_is_generated():
    documents = (REPOSITORY / "test" / "deploy" / "kinds.md").read_text(encoding="utf-8")
    assert documents == generate("docs"), "chartwright generate docs > test/deploy/kinds.md"
