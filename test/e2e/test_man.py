# SPDX-License-Identifier: Apache-2.0
"""The pages of the manual, as mandoc and man read them."""

import subprocess

import pytest

from harness.operator import default_binary


@pytest.fixture(name="pages", scope="module")
def written_pages(tmp_path_factory):
    """The files that `chartwright man` writes."""
    folder = tmp_path_factory.mktemp("man") / "man1"
    subprocess.run([str(default_binary()), "man", "--output-dir", str(folder)], check=True)
    return sorted(folder.iterdir())


def read(*command) -> subprocess.CompletedProcess:
    """Runs a reader of pages."""
    return subprocess.run(
        [*map(str, command)], capture_output=True, text=True, check=False, timeout=60
    )


def test_no_page_has_a_mistake(pages):
    assert len(pages) > 20
    done = read("mandoc", "-T", "lint", "-W", "warning", *pages)
    # A date would say when the pages were made, and make two builds differ.
    found = [line for line in done.stdout.splitlines() if "missing date" not in line]
    assert (found, done.stderr) == ([], "")


def test_a_page_reads_as_the_help_does(pages):
    [page] = [page for page in pages if page.name == "chartwright-get.1"]
    text = read("mandoc", "-T", "ascii", page).stdout
    plain = "".join(
        char
        for at, char in enumerate(text)
        if char != "\b" and text[at + 1 : at + 2] != "\b"  # Bold is a letter over itself.
    )
    assert "-n, --namespace TEXT" in plain
    assert "Default: that of the current context\n" in plain
    help_text = read(default_binary(), "get", "--help").stdout
    flags = {word.strip(",") for word in help_text.split() if word.startswith("--")}
    assert len(flags) > 8
    assert all(flag.partition("=")[0] in plain for flag in flags)
