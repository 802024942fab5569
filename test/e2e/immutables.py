# SPDX-License-Identifier: Apache-2.0
"""Objects of the built-in kinds, and changes of each of their fields."""

import copy
import json
from collections.abc import Iterator

from e2e.raw_chart import NAME

# Those of the kinds below that have fields which cannot be changed.
KINDS = {
    *("Deployment", "DaemonSet", "ReplicaSet", "StatefulSet", "Job", "Pod"),
    *("PersistentVolumeClaim", "PersistentVolume", "StorageClass", "CSIDriver"),
    *("VolumeAttributesClass", "ConfigMap", "Secret", "ResourceQuota", "ControllerRevision"),
    *("RoleBinding", "ClusterRoleBinding", "IngressClass", "ServiceCIDR", "PriorityClass"),
    *("RuntimeClass", "ResourceClaim", "ResourceClaimTemplate"),
}
# Selectors and the labels that they select change together.
TIER = "first"
LABELS = {"app": NAME, "tier": TIER}
CONTAINER = {"name": "a", "image": "example.com/a:1", "env": [{"name": "A", "value": "b"}]}
POD = {"containers": [CONTAINER], "restartPolicy": "Never", "schedulerName": "none"}
TEMPLATE = {"metadata": {"labels": LABELS}, "spec": {**POD, "restartPolicy": "Always"}}
RULE = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
SUBJECT = {"kind": "ServiceAccount", "name": "a", "namespace": "default"}
WEBHOOK = {
    "name": "a.example.com",
    "clientConfig": {"url": "https://example.com/"},
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
    "failurePolicy": "Ignore",
}
CLAIM = {
    "accessModes": ["ReadWriteOnce"],
    "storageClassName": "none",
    "volumeMode": "Filesystem",
    "resources": {"requests": {"storage": "2Gi"}},
}
CRD_VERSION = {
    "name": "v1",
    "served": True,
    "storage": True,
    "schema": {"openAPIV3Schema": {"type": "object"}},
}


def of(api_version: str, kind: str, **members) -> dict:
    """Returns an object that is named as the release."""
    metadata = {"name": members.pop("name", NAME)}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **members}


def workload(kind: str, **spec) -> dict:
    """Returns a workload of pods."""
    selector = {"matchLabels": LABELS}
    return of("apps/v1", kind, spec={"selector": selector, "template": TEMPLATE, **spec})


def role_binding(kind: str, role: str) -> dict:
    """Returns a binding of a role."""
    ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": role, "name": "a"}
    return of("rbac.authorization.k8s.io/v1", kind, roleRef=ref, subjects=[SUBJECT])


OBJECTS = [
    workload("Deployment", replicas=1, minReadySeconds=1, paused=True),
    workload("DaemonSet"),
    workload("ReplicaSet", replicas=0),
    workload(
        "StatefulSet",
        serviceName="a",
        replicas=0,
        podManagementPolicy="Parallel",
        volumeClaimTemplates=[{"metadata": {"name": "data"}, "spec": CLAIM}],
    ),
    of(
        "v1",
        "ReplicationController",
        spec={"replicas": 0, "selector": LABELS, "template": TEMPLATE},
    ),
    of(
        "batch/v1",
        "Job",
        spec={
            "completions": 1,
            "parallelism": 1,
            "completionMode": "NonIndexed",
            "suspend": False,
            "backoffLimit": 1,
            "ttlSecondsAfterFinished": 9999,
            "template": {"metadata": {"labels": LABELS}, "spec": POD},
        },
    ),
    of(
        "batch/v1",
        "CronJob",
        spec={
            "schedule": "0 0 1 1 *",
            "timeZone": "Etc/UTC",
            "jobTemplate": {"spec": {"template": {"spec": POD}}},
        },
    ),
    of(
        "v1",
        "Pod",
        spec={
            **POD,
            "hostNetwork": False,
            "nodeSelector": {"a": "b"},
            "serviceAccountName": "default",
            "terminationGracePeriodSeconds": 1,
            "activeDeadlineSeconds": 9999,
            "tolerations": [{"key": "a", "operator": "Exists"}],
        },
    ),
    of(
        "v1",
        "Service",
        spec={
            "type": "ClusterIP",
            "ipFamilyPolicy": "SingleStack",
            "ipFamilies": ["IPv4"],
            "sessionAffinity": "None",
            "selector": LABELS,
            "ports": [{"name": "a", "port": 80, "targetPort": 80, "protocol": "TCP"}],
        },
    ),
    of("v1", "Service", spec={"clusterIP": "None", "selector": LABELS, "ports": [{"port": 80}]}),
    of(
        "v1",
        "Service",
        spec={
            "type": "LoadBalancer",
            "loadBalancerClass": "example.com/a",
            "externalTrafficPolicy": "Local",
            "ports": [{"port": 80}],
        },
    ),
    of("v1", "PersistentVolumeClaim", spec=CLAIM),
    of(
        "v1",
        "PersistentVolume",
        spec={
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "volumeMode": "Filesystem",
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "none",
            "nfs": {"path": "/a", "server": "example.com"},
        },
    ),
    of(
        "storage.k8s.io/v1",
        "StorageClass",
        provisioner="example.com/a",
        parameters={"a": "b"},
        reclaimPolicy="Delete",
        volumeBindingMode="Immediate",
        allowVolumeExpansion=True,
    ),
    of(
        "storage.k8s.io/v1",
        "CSIDriver",
        spec={"attachRequired": True, "podInfoOnMount": False, "fsGroupPolicy": "File"},
    ),
    of(
        "storage.k8s.io/v1",
        "VolumeAttributesClass",
        driverName="a.example.com",
        parameters={"a": "b"},
    ),
    of("v1", "ConfigMap", data={"a": "b"}, immutable=True),
    of("v1", "Secret", type="example.com/a", data={"a": "Yg=="}, immutable=True),
    of("v1", "Secret", type="example.com/a", data={"a": "Yg=="}),
    of("v1", "ServiceAccount", automountServiceAccountToken=False),
    of("v1", "LimitRange", spec={"limits": [{"type": "Pod", "max": {"cpu": "1"}}]}),
    of("v1", "ResourceQuota", spec={"hard": {"pods": "9"}, "scopes": ["NotTerminating"]}),
    of("v1", "Endpoints", subsets=[{"addresses": [{"ip": "192.0.2.1"}], "ports": [{"port": 80}]}]),
    of(
        "discovery.k8s.io/v1",
        "EndpointSlice",
        addressType="IPv4",
        endpoints=[{"addresses": ["192.0.2.1"]}],
        ports=[{"name": "a", "port": 80}],
    ),
    of("apps/v1", "ControllerRevision", data={"a": "b"}, revision=1),
    of("coordination.k8s.io/v1", "Lease", spec={"holderIdentity": "a", "leaseDurationSeconds": 9}),
    of("rbac.authorization.k8s.io/v1", "Role", rules=[RULE]),
    of("rbac.authorization.k8s.io/v1", "ClusterRole", rules=[RULE]),
    role_binding("RoleBinding", "Role"),
    role_binding("ClusterRoleBinding", "ClusterRole"),
    of(
        "networking.k8s.io/v1",
        "Ingress",
        spec={
            "ingressClassName": "a",
            "defaultBackend": {"service": {"name": "a", "port": {"number": 80}}},
        },
    ),
    of("networking.k8s.io/v1", "IngressClass", spec={"controller": "example.com/a"}),
    of(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        spec={"podSelector": {}, "policyTypes": ["Ingress"]},
    ),
    of("networking.k8s.io/v1", "ServiceCIDR", spec={"cidrs": ["192.0.2.0/24"]}),
    of(
        "policy/v1",
        "PodDisruptionBudget",
        spec={"minAvailable": 1, "selector": {"matchLabels": LABELS}},
    ),
    of(
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        spec={
            "minReplicas": 1,
            "maxReplicas": 2,
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"},
        },
    ),
    of(
        "scheduling.k8s.io/v1",
        "PriorityClass",
        value=5,
        preemptionPolicy="Never",
        globalDefault=False,
        description="a",
    ),
    of("node.k8s.io/v1", "RuntimeClass", handler="a", overhead={"podFixed": {"cpu": "1m"}}),
    of(
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        webhooks=[{**WEBHOOK, "rules": []}],
    ),
    of(
        "admissionregistration.k8s.io/v1",
        "MutatingWebhookConfiguration",
        webhooks=[{**WEBHOOK, "reinvocationPolicy": "Never", "rules": []}],
    ),
    of(
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicy",
        spec={
            "failurePolicy": "Ignore",
            "matchConstraints": {
                "resourceRules": [
                    {
                        "apiGroups": ["a"],
                        "apiVersions": ["v1"],
                        "operations": ["*"],
                        "resources": ["a"],
                    }
                ]
            },
            "validations": [{"expression": "true"}],
        },
    ),
    of(
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicyBinding",
        spec={"policyName": "a", "validationActions": ["Audit"]},
    ),
    of(
        "flowcontrol.apiserver.k8s.io/v1",
        "PriorityLevelConfiguration",
        spec={"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
    ),
    of(
        "flowcontrol.apiserver.k8s.io/v1",
        "FlowSchema",
        spec={"matchingPrecedence": 9999, "priorityLevelConfiguration": {"name": "a"}},
    ),
    of("resource.k8s.io/v1", "DeviceClass", spec={"selectors": [{"cel": {"expression": "true"}}]}),
    of(
        "resource.k8s.io/v1",
        "ResourceClaim",
        spec={"devices": {"requests": [{"name": "a", "exactly": {"deviceClassName": "a"}}]}},
    ),
    of(
        "resource.k8s.io/v1",
        "ResourceClaimTemplate",
        spec={
            "spec": {"devices": {"requests": [{"name": "a", "exactly": {"deviceClassName": "a"}}]}}
        },
    ),
    of(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        name="releases.example.com",
        spec={
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "releases", "singular": "a", "kind": "A", "listKind": "AList"},
            "versions": [CRD_VERSION],
        },
    ),
]


def with_other_tier(obj: dict) -> dict:
    """Returns a copy of an object with another label in all selectors and labels."""
    return json.loads(json.dumps(obj).replace(f'"{TIER}"', '"second"'))


def changes_of(value: object) -> Iterator[tuple[str, object]]:
    """Returns copies of a value in each of which one field is another one, with its path."""
    if isinstance(value, dict):
        for key, member in value.items():
            for path, changed in changes_of(member):
                yield f".{key}{path}", {**value, key: changed}
        return
    if isinstance(value, list):
        for place, item in enumerate(value):
            for path, changed in changes_of(item):
                copied = copy.deepcopy(value)
                copied[place] = changed
                yield f"[{place}]{path}", copied
        return
    yield from (("", other) for other in others_than(value))


# Values of enumerations, and others that only some fields may have.
WORDS = {
    "Always": ["Never"],
    "Audit": ["Warn"],
    "ClusterIP": ["NodePort"],
    "Delete": ["Retain"],
    "File": ["None"],
    "Filesystem": ["Block"],
    "Immediate": ["WaitForFirstConsumer"],
    "IPv4": ["IPv6"],
    "Ignore": ["Fail"],
    "Local": ["Cluster"],
    "Namespaced": ["Cluster"],
    "Never": ["Always", "PreemptLowerPriority", "IfNeeded", "OnFailure"],
    "None": ["ClientIP", "NoneOnDryRun", ""],
    "NonIndexed": ["Indexed"],
    "NotTerminating": ["Terminating"],
    "Parallel": ["OrderedReady"],
    "ReadWriteOnce": ["ReadWriteMany"],
    "Retain": ["Delete"],
    "Role": ["ClusterRole"],
    "ServiceAccount": ["User"],
    "SingleStack": ["PreferDualStack"],
    "TCP": ["UDP"],
    "Yg==": ["Yw=="],
    "1Gi": ["2Gi"],
    "2Gi": ["1Gi", "3Gi"],
    "192.0.2.0/24": ["198.51.100.0/24"],
    "192.0.2.1": ["192.0.2.2"],
    "0 0 1 1 *": ["0 0 2 1 *"],
    "Etc/UTC": ["Etc/GMT"],
    TIER: [],
    "example.com": ["example.org"],
    "https://example.com/": ["https://example.org/"],
}


def others_than(value: object) -> list:
    """Returns other values of the kind of a scalar."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1]
    if value in WORDS:
        return WORDS[value]
    return [] if NAME in value else [value + "b"]
