# SPDX-License-Identifier: Apache-2.0
"""All attacks by group: on single commands and on a running operator.

The former are in the order of the table in docs/operate/security.md.
"""

from hostile import (
    archives,
    bundles,
    charts,
    containers,
    decoders,
    documents,
    encodings,
    flags,
    generates,
    globs,
    lints,
    lookups,
    objects,
    post_renderers,
    regexps,
    remotes,
    reviewed,
    schemas,
    startups,
    streams,
    tags,
    templates,
    tls,
    versions,
)

GROUPS = {
    "Templates": templates.ALL,
    "Values, schemas, flags": documents.ALL,
    "Archives and folders": archives.ALL,
    "Encodings": encodings.ALL,
    "YAML tags and directives": tags.ALL,
    "Files and patterns of names": globs.ALL,
    "The --set family": flags.ALL,
    "JSON schemas": schemas.ALL,
    "Servers of schemas": remotes.ALL,
    "Regular expressions": regexps.ALL,
    "Versions and constraints": versions.ALL,
    "lint": lints.ALL,
    "generate": generates.ALL,
    "Post-renderers": post_renderers.ALL,
    "watches.yaml and kubeconfigs": startups.ALL,
    "What got through a review": reviewed.ALL,
}
GROWTHS = decoders.ALL
# Number of attacks per group that also run against `chartwright lint`, which reads and renders like
# `template`.
LINTED_COUNT = 16
LINTED = [
    vector
    for name in (
        "Encodings",
        "YAML tags and directives",
        "Files and patterns of names",
        "The --set family",
        "JSON schemas",
        "Regular expressions",
        "Versions and constraints",
    )
    for vector in GROUPS[name][:LINTED_COUNT]
]
LINTED += [
    growth.vector(1)
    for family in (decoders.yaml, decoders.toml, decoders.json, decoders.others)
    for growth in family()[:LINTED_COUNT]
]
FAULTS = tls.FAULTS
# Attacks on an operator; each group has its own.
STAGES = {
    "Charts": charts.ALL,
    "Watch streams": streams.ALL,
    "Objects and revisions": objects.ALL,
    "Bundles": bundles.ALL,
    "Lookups": lookups.ALL,
    "Containers": containers.ALL,
}
# Memory limit in bytes that the operator of a group sees; default: the machine's memory.
LIMITS = {"Containers": containers.LIMIT}
# Attacks for a real control plane, whose validation accepts or refuses them; excludes those that
# need a faulty server.
REAL_STAGES = {
    "Charts": charts.REAL,
    "Objects and revisions": [e for e in objects.ALL if not e.collected],
    "Bundles": bundles.ALL,
}
