# SPDX-License-Identifier: Apache-2.0
"""Kubeconfig files: writes one for a user of a cluster, and reads one for a client."""

import base64
import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile

_FORMAT = """\
apiVersion: v1
kind: Config
clusters:
- name: {cluster}
  cluster:
    server: {server}
    certificate-authority-data: {ca}
users:
- name: {user}
  user:
{credentials}
contexts:
- name: {user}@{cluster}
  context:
    cluster: {cluster}
    user: {user}
    namespace: {namespace}
current-context: {user}@{cluster}
"""


@dataclasses.dataclass(frozen=True)
class Access:
    """The access data of an API server: PEM certificates, and one kind of credential."""

    server: str
    ca: bytes | None = None
    certificate: bytes | None = None
    key: bytes | None = None
    token: str | None = None
    namespace: str = "default"


@dataclasses.dataclass(frozen=True)
class Names:
    """The names in a kubeconfig."""

    cluster: str
    user: str


def write(path: pathlib.Path | str, access: Access, names: Names) -> None:
    """Atomically writes a self-contained kubeconfig that only its owner may read."""
    if access.token is not None:
        credentials = f"    token: {access.token}"
    else:
        credentials = (
            f"    client-certificate-data: {_encode(access.certificate)}\n"
            f"    client-key-data: {_encode(access.key)}"
        )
    text = _FORMAT.format(
        cluster=names.cluster,
        user=names.user,
        server=access.server,
        ca=_encode(access.ca),
        credentials=credentials,
        namespace=access.namespace,
    )
    path = pathlib.Path(path)
    # A file of its own, since two threads may write the same kubeconfig. Only its owner may read
    # it.
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, delete=False, encoding="utf-8"
    ) as partial:
        partial.write(text)
    pathlib.Path(partial.name).replace(path)


def read(path: pathlib.Path | str, kubectl: pathlib.Path | str) -> Access:
    """Reads the current context of a kubeconfig with `kubectl`, which knows the whole format.

    Raises ValueError if the harness does not support the authentication of the user.
    """
    output = subprocess.run(
        [kubectl, "config", "view", "--raw", "--flatten", "--minify", "-o", "json"],
        env={**os.environ, "KUBECONFIG": os.fspath(path)},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    config = json.loads(output)
    cluster = config["clusters"][0]["cluster"]
    user = config["users"][0]["user"]
    access = Access(
        server=cluster["server"],
        ca=_decode(cluster.get("certificate-authority-data")),
        certificate=_decode(user.get("client-certificate-data")),
        key=_decode(user.get("client-key-data")),
        token=user.get("token"),
        namespace=config["contexts"][0]["context"].get("namespace") or "default",
    )
    if access.token is None and access.certificate is None:
        raise ValueError(f"{path}: the user needs a token or a client certificate")
    return access


def _encode(pem: bytes | None) -> str:
    return base64.b64encode(pem or b"").decode("ascii")


def _decode(text: str | None) -> bytes | None:
    return base64.b64decode(text) if text else None
