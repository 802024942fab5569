# SPDX-License-Identifier: Apache-2.0
"""Kubeconfigs for service accounts, so that programs under test never run as administrator."""

import dataclasses
import pathlib

from harness import kubeconfig
from harness.kube import Kube

_LIFETIME_SECONDS = 24 * 3600


def mint(kube: Kube, namespace: str, name: str, path: pathlib.Path | str) -> pathlib.Path:
    """Writes a kubeconfig for the service account to `path` and returns the path.

    `kube` must be allowed to create tokens. Raises ApiError 404 if there is no such account.
    """
    token = kube.request(
        "POST",
        kube.path("v1/ServiceAccount", name, namespace) + "/token",
        {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": _LIFETIME_SECONDS},
        },
    )["status"]["token"]
    access = dataclasses.replace(
        kube.connection.access, certificate=None, key=None, token=token, namespace=namespace
    )
    names = kubeconfig.Names(cluster="chartwright", user=f"{namespace}-{name}")
    kubeconfig.write(path, access, names)
    return pathlib.Path(path)
