# SPDX-License-Identifier: Apache-2.0
"""Widgets that have objects in a store outside the cluster, and what a tenant may do about them."""

import dataclasses
import hashlib
import json
import pathlib

from e2e import session
from e2e.custom_resource import SECRET, WIDGET, CustomResource
from harness.operator import Operator
from harness.petstore import PetStore
from hostile.tenants import Tenant

ADOPT = """  adopt: >-
    {{ hasPrefix (printf "%s %s found " .Release.Namespace .Release.Name) .item.name }}
"""
EXTERNAL = """name: NAME
driver: {http: {baseURL: '{{ .Values.store }}'}}
observe: {call: GET /pets, items: pets, select: '{{ eq .item.id .id }}'}
create:
  call: POST /pets
  body: '{pets: [{{ include "NAME" . }}]}'
  capture: '{{ index .response.ids 0 }}'
ADOPTupdate: {call: 'PUT /pets/{{ .id }}', body: '{{ include "NAME" . }}'}
delete: {call: 'DELETE /pets/{{ .id }}'}
resync: 2s
timeout: 1s
"""
ENTRY = """{{- define "NAME" -}}
{name: {{ printf "%s %s NAME %s" .Release.Namespace .Release.Name .Values.text }}, type: PTCanine,
  birthday: {year: 2021, month: 4, day: 1}}
{{- end }}
"""
BOTH = ("found", "told")
COPY_TYPE = "chartwright.io/externals.v1"


def project(folder: pathlib.Path, store: PetStore) -> dict:
    """Writes a project whose Widgets have two objects each: `found`, which `adopt` recognises, and
    `told`. Returns the options of `session.widget_operator` that run it.
    """
    files = {"values.schema.json": "{}"}
    for name, adopt in zip(BOTH, (ADOPT, ""), strict=True):
        text = EXTERNAL.replace("ADOPT", adopt).replace("NAME", name)
        files[f"operator/externals/{name}.yaml"] = text
        files[f"templates/{name}.tpl"] = ENTRY.replace("NAME", name)
    options = session.widget_project(folder, files)
    watch = {"group": "e2e.chartwright.io", "version": "v1", "kind": "Widget", "chart": "chart"}
    watch["adoption"] = "author"  # An annotation may name any object but those of others.
    watches = json.dumps([{**watch, "overrideValues": {"store": store.url}}])
    options["watches_file"].write_text(watches, encoding="utf-8")
    return options


def ids_of(widget: CustomResource) -> dict[str, str]:
    """Returns the ids in its status by the names of the externals."""
    return {name: one.get("id") for name, one in widget.status().get("externals", {}).items()}


def copy_of(widget: CustomResource) -> str:
    """Returns the name of the Secret with the copy of its ids."""
    identity = f"Widget.e2e.chartwright.io {widget.namespace}/{widget.name}"
    return "chartwright-externals-" + hashlib.sha256(identity.encode()).hexdigest()[:20]


@dataclasses.dataclass
class Scene:
    """A tenant with a Widget, and a victim with one elsewhere, and the store of both."""

    store: PetStore
    keeper: Operator
    tenant: Tenant
    victim: CustomResource
    theirs: dict[str, str]  # The ids of the victim's objects.
    entries: list[dict]  # These objects.
    before: int  # How many calls the store had got.

    def begin(self, **options) -> CustomResource:
        """Creates the tenant's Widget; its objects follow, unless it is paused."""
        self.tenant.create("evil", spec={"count": 1, "text": "one"}, **options)
        return CustomResource(self.tenant.cluster, WIDGET, self.tenant.namespace, "evil")

    def calls(self, what: str) -> list[str]:
        """Returns the store's calls since the victim was ready."""
        return [call["what"] for call in self.store.calls()[self.before :] if what in call["what"]]

    def own(self) -> list[str]:
        """Returns the names of the tenant's objects in the store, without his namespace."""
        prefix = f"{self.tenant.namespace} evil "
        names = [pet["name"] for pet in self.store.pets()]
        return sorted(name.removeprefix(prefix) for name in names if name.startswith(prefix))

    def check(self, creates: int) -> None:
        """Asserts that the other's objects are untouched, and how many objects were created."""
        assert [pet for pet in self.store.pets() if pet["id"] in self.theirs.values()] == (
            self.entries
        ), "the objects of another were changed or deleted"
        for verb in ("PUT", "DELETE"):
            for call in self.calls(verb):
                assert call.rpartition("/")[2] not in self.theirs.values(), call
        assert len(self.calls("POST")) == creates

    def forged(self, evil: CustomResource, how: str) -> dict:
        """Returns a status of the tenant's Widget that has the ids of the victim."""
        status = self.victim.status()
        if how == "all of the other":
            return status
        signatures = {"none": None, "its own": evil.status()["signature"]}
        signature = signatures.get(how, status["signature"])
        return {"externals": status["externals"], "signature": signature}

    def apply_status(self, status: dict, manager: str) -> None:
        """Applies a status of the tenant's Widget; the manager's other members of it go."""
        self.tenant.kube.request(
            "PATCH",
            self.tenant.kube.path(WIDGET, "evil", self.tenant.namespace) + "/status",
            {"apiVersion": "e2e.chartwright.io/v1", "kind": "Widget", "status": status},
            query={"fieldManager": manager, "force": "true"},
            content_type="application/apply-patch+yaml",
        )

    def end(self, evil: CustomResource) -> None:
        """Deletes the tenant's Widget, and asserts that nothing is left of it."""
        evil.delete()
        evil.wait_gone()
        assert self.own() == []
        assert self.tenant.kube.find(SECRET, copy_of(evil), evil.namespace) is None


def told_apart_by(obj: dict, name: str) -> bool:
    """Reports whether a condition asks a person for the id of an external."""
    conditions = obj.get("status", {}).get("conditions", [])
    asks = f"until the annotation chartwright.io/external-id.{name} has "
    return any(asks in one["message"] for one in conditions if one["type"] == "AmbiguousCreate")


def secret_of(scene: Scene, evil: CustomResource, **content) -> dict:
    """Returns a Secret in the place of the copy, by default with that of the victim."""
    theirs = scene.victim.child(SECRET, copy_of(scene.victim))
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": copy_of(evil), "namespace": evil.namespace},
        "type": COPY_TYPE,
        "data": theirs["data"],
        **content,
    }


def spoil(scene: Scene, evil: CustomResource, act: str) -> None:
    """Does one thing to the copy of the ids."""
    kube, place = scene.tenant.kube, (SECRET, copy_of(evil), evil.namespace)
    mine, copied = kube.get(*place)["data"], secret_of(scene, evil)
    if act in ("deleted", "of another type"):
        kube.delete(*place)
    if act == "edited":
        mine["records"] = copied["data"]["records"]
        kube.patch(*place, {"data": mine})
    elif act == "of another type":
        kube.create(secret_of(scene, evil, type="Opaque"))
    elif act != "deleted":
        kube.patch(*place, {"data": copied["data"], "immutable": act == "immutable"})


def wipe(scene: Scene, evil: CustomResource) -> None:
    """Removes all that the operator remembers of the objects."""
    scene.tenant.write_status("evil", None)
    scene.tenant.kube.delete(SECRET, copy_of(evil), evil.namespace)
