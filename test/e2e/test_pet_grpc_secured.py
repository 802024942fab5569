# SPDX-License-Identifier: Apache-2.0
"""Pet over gRPC with TLS, a client certificate and credentials, all from Secrets."""

import base64
import shutil

import pytest

from cluster import pki
from e2e.custom_resource import PET
from e2e.session import pet_operator
from e2e.test_pet import THOR, settle
from e2e.test_pet_grpc import CHART
from harness.petstore import PetStore

PASSWORD = "s3cr3t-of-the-keeper"
PAIR = base64.b64encode(f"keeper:{PASSWORD}".encode()).decode()
# Kind of credentials -> lines of the driver, what the store wants.
CREDENTIALS = {
    "bearer": ("bearer: {secret: store, key: password}", f"Bearer {PASSWORD}"),
    "basic": ("basic: {secret: store, usernameKey: user}", f"Basic {PAIR}"),
}


def with_credentials(folder, lines: str):
    """Returns a copy of the chart with TLS and `lines` in place of plaintext."""
    chart = folder / "grpcpet"
    shutil.copytree(CHART, chart)
    file = chart / "operator" / "externals" / "pet.yaml"
    text = file.read_text(encoding="utf-8")
    tls = "tls: {ca: {secret: store, key: ca.crt}, clientCertificate: {secret: store}}"
    file.write_text(text.replace("plaintext: true", f"{lines}\n    {tls}"), encoding="utf-8")
    return chart


@pytest.fixture
def certificates(tmp_path):
    """A folder with ca.crt, apiserver.{crt,key} for localhost, and admin.{crt,key} of a client."""
    folder = tmp_path / "pki"
    pki.create(folder)
    return folder


@pytest.fixture
def secret(cluster, namespace, certificates):
    """Makes the Secret with everything; returns a function that changes a member."""
    data = {
        "user": b"keeper",
        "password": PASSWORD.encode(),
        "ca.crt": (certificates / "ca.crt").read_bytes(),
        "tls.crt": (certificates / "admin.crt").read_bytes(),
        "tls.key": (certificates / "admin.key").read_bytes(),
    }
    cluster.kube.create(
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "store", "namespace": namespace},
            "data": {key: base64.b64encode(text).decode() for key, text in data.items()},
        }
    )

    def change(key: str, text: bytes) -> None:
        encoded = {"data": {key: base64.b64encode(text).decode()}}
        cluster.kube.patch("v1/Secret", "store", namespace, encoded)

    return change


@pytest.fixture(params=CREDENTIALS)
def lines(request):
    """The kind of credentials."""
    return CREDENTIALS[request.param]


@pytest.fixture
def store(tmp_path, certificates, lines):
    """A petstore that wants a client certificate and credentials."""
    with PetStore(
        tmp_path,
        f"-cert={certificates / 'apiserver.crt'}",
        f"-key={certificates / 'apiserver.key'}",
        f"-client-ca={certificates / 'ca.crt'}",
        f"-authorization={lines[1]}",
    ) as server:
        yield server


@pytest.fixture
def keeper(cluster, tmp_path, store, lines, namespace, secret):
    """The operator of Pets in the test's namespace; no other one runs."""
    assert secret
    values = {"store.address": store.address, "store.resync": "1s", "store.timeout": "2s"}
    chart = str(with_credentials(tmp_path, lines[0]))
    with pet_operator(cluster, tmp_path, values, chart, namespaces=(namespace,)) as process:
        yield process


def assert_hidden(pet, keeper) -> None:
    """Asserts that no secret is in the custom resource or the log."""
    shown = str(pet.get()) + keeper.log_path.read_text(encoding="utf-8")
    for part in (PASSWORD, PAIR, "PRIVATE KEY", "BEGIN CERTIFICATE"):
        assert part not in shown


def test_grpc_certificates_and_credentials_come_from_a_secret(declare, keeper, store, secret):
    pet = declare(PET, "thor").create(THOR)
    settle(pet, store)
    assert {call["client"] for call in store.calls()} == {"kubernetes-admin"}
    assert_hidden(pet, keeper)
    secret("password", b"another")
    refused = pet.wait_condition("Ready", "False", "ExternalError")
    assert "UNAUTHENTICATED" in refused["message"] and "another" not in refused["message"]
    secret("password", PASSWORD.encode())
    settle(pet, store)
    pet.delete()
    pet.wait_gone()
    assert store.pets() == []


def test_grpc_a_server_that_is_not_verified_gets_nothing(declare, keeper, store, secret, tmp_path):
    pki.create(tmp_path / "other")
    secret("ca.crt", (tmp_path / "other" / "ca.crt").read_bytes())
    pet = declare(PET, "thor").create(THOR)
    refused = pet.wait_condition("Ready", "False", "ExternalError")
    assert "tls.ca from Secret store" in refused["message"]
    assert "certificate" in refused["message"].lower()
    assert store.calls() == []
    assert_hidden(pet, keeper)
    secret("ca.crt", (tmp_path / "pki" / "ca.crt").read_bytes())
    settle(pet, store)
    pet.delete()
    pet.wait_gone()
