# SPDX-License-Identifier: Apache-2.0
"""The server in memory, against which unit tests and the simulator run, answers as a real one."""

import subprocess

from harness.paths import REPOSITORY

SIM = REPOSITORY / "build" / "release" / "test" / "sim" / "sim"
SEQUENCES = 120
MEMBERS = {"type": "object", "properties": {name: {"type": "string"} for name in "xyz"}}
SCHEMA = {"type": "object", "properties": {"spec": MEMBERS, "status": MEMBERS}}
SAMPLE = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "samples.model.example.com"},
    "spec": {
        "group": "model.example.com",
        "scope": "Namespaced",
        "names": {"kind": "Sample", "plural": "samples"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": SCHEMA},
            }
        ],
    },
}


def test_the_server_in_memory_answers_as_a_real_one(cluster, namespace):
    """Both get the same random requests; answers and what is stored must be the same."""
    cluster.kube.apply(SAMPLE)
    name = f"crd/{SAMPLE['metadata']['name']}"
    cluster.kubectl("wait", "--for=condition=Established", name, "--timeout=30s")
    done = subprocess.run(
        (SIM, "--compare", cluster.kubeconfig, "--namespace", namespace, "--count", str(SEQUENCES)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert f"{SEQUENCES} sequences of 30 requests, 0 different" in done.stdout
