# SPDX-License-Identifier: Apache-2.0
"""Certificates and keys for one control plane, made with the `openssl` command."""

import pathlib
import subprocess
from collections.abc import Sequence

from harness import kubeconfig

_EC_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
_DAYS = "30"
_SERVER_NAMES = (
    "DNS:localhost",
    "DNS:kubernetes",
    "DNS:kubernetes.default",
    "DNS:kubernetes.default.svc",
    "DNS:kubernetes.default.svc.cluster.local",
    "IP:127.0.0.1",
    "IP:10.96.0.1",
)

# The clients of the API server: file name -> subject. The built-in role bindings of Kubernetes use
# these names; bootstrap.py binds `system:kwok`.
CLIENTS = {
    "admin": "/O=system:masters/CN=kubernetes-admin",
    "kube-controller-manager": "/CN=system:kube-controller-manager",
    "kube-scheduler": "/CN=system:kube-scheduler",
    "kwok": "/CN=system:kwok",
}


# The name in the certificate that the API server shows to the servers of aggregated APIs.
FRONT_PROXY = "front-proxy-client"


def create(folder: pathlib.Path) -> None:
    """Writes ca, apiserver, service-account, front-proxy and one pair per client into `folder`."""
    folder.mkdir(mode=0o700)
    ca = ["-keyout", folder / "ca.key", "-out", folder / "ca.crt", "-subj", "/CN=chartwright-test"]
    _openssl("req", "-x509", *_EC_KEY, "-days", _DAYS, *ca)
    _issue(folder, "apiserver", "/CN=kube-apiserver", "serverAuth", _SERVER_NAMES)
    for name, subject in CLIENTS.items():
        _issue(folder, name, subject, "clientAuth")
    # An authority of its own: whom it certifies is believed about who a user is.
    front = ["-keyout", folder / "front-proxy-ca.key", "-out", folder / "front-proxy-ca.crt"]
    _openssl("req", "-x509", *_EC_KEY, "-days", _DAYS, *front, "-subj", "/CN=front-proxy-ca")
    _issue(folder, FRONT_PROXY, f"/CN={FRONT_PROXY}", "clientAuth", ca="front-proxy-ca")
    key, public = folder / "service-account.key", folder / "service-account.pub"
    _openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key)
    _openssl("pkey", "-in", key, "-pubout", "-out", public)


def access(folder: pathlib.Path, client: str, server: str) -> kubeconfig.Access:
    """Returns the access data of the named client."""
    return kubeconfig.Access(
        server=server,
        ca=(folder / "ca.crt").read_bytes(),
        certificate=(folder / f"{client}.crt").read_bytes(),
        key=(folder / f"{client}.key").read_bytes(),
    )


def _issue(
    folder: pathlib.Path,
    name: str,
    subject: str,
    usage: str,
    alternatives: Sequence[str] = (),
    ca: str = "ca",
):
    extensions = ["-addext", f"extendedKeyUsage={usage}", "-addext", "basicConstraints=CA:FALSE"]
    if alternatives:
        extensions += ["-addext", f"subjectAltName={','.join(alternatives)}"]
    authority = ["-CA", folder / f"{ca}.crt", "-CAkey", folder / f"{ca}.key", "-days", _DAYS]
    files = ["-keyout", folder / f"{name}.key", "-out", folder / f"{name}.crt", "-subj", subject]
    _openssl("req", "-x509", *_EC_KEY, *authority, *extensions, *files)


def _openssl(*arguments) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)
