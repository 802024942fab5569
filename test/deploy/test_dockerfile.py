# SPDX-License-Identifier: Apache-2.0
"""The Dockerfiles have what the binary and the manifests need.

`make image-test` builds and runs them.
"""

import pathlib
import re
import subprocess

from harness.operator import default_binary
from harness.paths import REPOSITORY

DOCKERFILE = REPOSITORY / "Dockerfile"
OF_CHARTS = REPOSITORY / "charts" / "Dockerfile"
# Opened at run time (src/base/openssl_library.cc, src/kube/curl_library.cc).
OPENED = ("libssl.so.3", "libcrypto.so.3", "libcurl.so.4")
# Each C++ library of the list depends on them.
IMPLIED = {"libc6", "libgcc-s1", "libstdc++6"}
# Certificates to trust, and time zones.
DATA = {"ca-certificates", "tzdata"}


def installed_packages() -> set[str]:
    """Returns the packages that the last stage installs."""
    last = DOCKERFILE.read_text(encoding="utf-8").rpartition("\nFROM ")[2]
    command = re.search(r"apt-get install [^&]*", last)[0]
    words = command.replace("\\", " ").split()[2:]
    return {word for word in words if not word.startswith("-")}


def package_of(library: str) -> str:
    """Returns the package that has a shared library."""
    # A package may say /lib of what is in /usr/lib.
    paths = [
        str(found)
        for top in ("/lib", "/usr/lib")
        for found in pathlib.Path(top).glob(f"*-linux-gnu/{library}")
    ]
    command = ["dpkg-query", "--search", *paths]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    assert found, f"no package has {library}"
    return found.split(":")[0]


def test_the_image_has_the_libraries_of_the_binary_and_no_others():
    linked = subprocess.run(
        ["ldd", default_binary()], capture_output=True, text=True, check=True
    ).stdout
    libraries = re.findall(r"^\s*(\S+) => ", linked, re.MULTILINE)
    assert len(libraries) > 3
    needed = {package_of(library) for library in (*libraries, *OPENED)}
    assert installed_packages() - DATA == needed - IMPLIED


def test_the_context_has_what_the_dockerfiles_copy_and_nothing_else():
    copied = set()
    for dockerfile in (DOCKERFILE, OF_CHARTS):
        for arguments in re.findall(
            r"^COPY (?!--from)(.*)$", dockerfile.read_text(encoding="utf-8"), re.MULTILINE
        ):
            copied.update(arguments.split()[:-1])
    ignored = (REPOSITORY / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in ignored if not line.startswith("#")]
    assert rules[0] == "*"
    assert {rule.removeprefix("!") for rule in rules[1:]} == copied


def test_the_manifests_run_the_image_that_has_the_charts(cluster):
    built = re.search(r"--tag (\S+)", OF_CHARTS.read_text(encoding="utf-8"))[1]
    for folder in ("deploy", "charts/farm/deploy"):
        manifests = cluster.kubectl("kustomize", str(REPOSITORY / folder))
        assert re.findall(r"^ *(?:- )?image: (.*)$", manifests, re.MULTILINE) == [built], folder


def test_the_charts_are_added_to_the_operator_of_this_version():
    project = (REPOSITORY / "CMakeLists.txt").read_text(encoding="utf-8")
    version = re.search(r"^project\(\w+ VERSION (\S+)", project, re.MULTILINE)[1]
    base = re.search(r"^FROM (\S+)$", OF_CHARTS.read_text(encoding="utf-8"), re.MULTILINE)[1]
    assert base == f"chartwright:{version}"
