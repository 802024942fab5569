# SPDX-License-Identifier: Apache-2.0
"""All attacks by group: what one command meets, in the order of the table in docs/security.md, and what a running operator does."""

from hostile import (archives, bundles, charts, decoders, documents, encodings, flags, globs, lints, objects, post_renderers, regexps, reviewed,
                     schemas, startups, streams, tags, templates, tls, versions)

GROUPS = {
    "Templates": templates.ALL,
    "Values, schemas, flags": documents.ALL,
    "Archives and folders": archives.ALL,
    "Encodings": encodings.ALL,
    "YAML tags and directives": tags.ALL,
    "Files and patterns of names": globs.ALL,
    "The --set family": flags.ALL,
    "JSON schemas": schemas.ALL,
    "Regular expressions": regexps.ALL,
    "Versions and constraints": versions.ALL,
    "lint": lints.ALL,
    "Post-renderers": post_renderers.ALL,
    "watches.yaml and kubeconfigs": startups.ALL,
    "What got through a review": reviewed.ALL,
}
GROWTHS = decoders.ALL
FAULTS = tls.FAULTS
# One operator for each.
STAGES = {
    "Charts": charts.ALL,
    "Watch streams": streams.ALL,
    "Objects and revisions": objects.ALL,
    "Bundles": bundles.ALL,
}
