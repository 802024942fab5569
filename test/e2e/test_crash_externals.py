# SPDX-License-Identifier: Apache-2.0
"""The operator is killed at every write for an object outside the cluster (crash.py)."""

import pytest

from e2e import crash
from e2e.crash import Moment, Project, Step
from e2e.custom_resource import CONFIGMAP
from harness.petstore import PetStore

EXTERNAL = """name: pet
driver: {http: {baseURL: '{{ .Values.store }}'}}
observe:
  call: GET /pets
  items: pets
  select: '{{ eq .item.id .id }}'
create:
  call: POST /pets
  body: |
    pets:
    - {{ include "pet" . }}
  capture: '{{ index .response.ids 0 }}'
  adopt: '{{ eq .item.name (first .sent.pets).name }}'
update: {call: 'PUT /pets/{{ .id }}', body: '{{ include "pet" . }}'}
delete: {call: 'DELETE /pets/{{ .id }}'}
"""
PET = """{{- define "pet" -}}
{name: {{ printf "%s %s %s" .Release.Namespace .Release.Name .Values.text }}, type: PTCanine,
  birthday: {year: 2021, month: 4, day: 1}}
{{- end }}
"""
CHILD = """apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-child, annotations: {pet: {{ .External.pet.id | quote }}}}
data: {text: {{ .Values.text | quote }}}
"""


@pytest.fixture(name="store")
def open_store(tmp_path):
    """A petstore without pets."""
    with PetStore(tmp_path) as server:
        yield server


@pytest.fixture(name="project")
def write_project(store):
    """A project whose releases have a pet each, and a child with its id."""

    def pets(widget) -> dict:
        found = [
            pet
            for pet in store.pets()
            if pet["name"].startswith(f"{widget.namespace} {widget.name} ")
        ]
        child = widget.kube.find(CONFIGMAP, f"{widget.name}-child", widget.namespace)
        return {
            "pets": [crash.common(pet["name"], widget) for pet in found],
            "known": child
            and child["metadata"]["annotations"]["pet"] in [pet["id"] for pet in found],
        }

    files = {
        "operator/externals/pet.yaml": EXTERNAL,
        "templates/pet.tpl": PET,
        "templates/child.yaml": CHILD,
    }
    return Project(files, {"overrideValues": {"store": store.url}}, pets)


@pytest.fixture(name="kubeconfig", scope="module")
def crash_account(cluster):
    """The account of all operators, with all rights."""
    with crash.account(cluster) as kubeconfig:
        yield kubeconfig


@pytest.mark.parametrize(
    "step", [Step.INSTALL, Step.UPGRADE, Step.ROLLBACK, Step.UNINSTALL], ids=lambda step: step.value
)
def test_one_pet_is_left_after_a_crash_at_every_write(
    own_cluster, kubeconfig, tmp_path, project, step, store
):
    with crash.lanes(own_cluster, tmp_path, kubeconfig, project, step) as opened:
        # Between a write and the next one are the calls of the store.
        undisturbed = crash.crash_everywhere(opened, Moment)
    text = "two" if step is Step.UPGRADE else "one"
    assert undisturbed.outcome["pets"] == (
        [] if step is Step.UNINSTALL else [f"NAMESPACE w {text}"]
    )
    assert undisturbed.outcome["known"] == (None if step is Step.UNINSTALL else True)
    assert store.pets() == []
