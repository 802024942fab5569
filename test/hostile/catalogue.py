# SPDX-License-Identifier: Apache-2.0
"""All attacks that one command meets, by group, in the order of the table in docs/security.md."""

from hostile import archives, decoders, documents, templates

GROUPS = {
    "Templates": templates.ALL,
    "Values, schemas, flags": documents.ALL,
    "Archives and folders": archives.ALL,
}
GROWTHS = decoders.ALL
