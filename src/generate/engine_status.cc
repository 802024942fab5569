// SPDX-License-Identifier: Apache-2.0
#include "generate/crd.h"  // IWYU pragma: keep: its declaration gives the constant to others.

namespace chartwright::generate {

const std::string_view kEngineStatusSchema = R"yaml(observedGeneration:
  description: The generation of the spec that the rest of the status speaks of.
  type: integer
  format: int64
conditions:
  description: Ready, Reconciling and Stalled; Initialized, Deployed, ReleaseFailed and Irreconcilable;
    and those of rules and of the author.
  type: array
  x-kubernetes-list-type: map
  x-kubernetes-list-map-keys:
    - type
  items:
    type: object
    required:
      - type
      - status
    properties:
      type:
        description: Name of the condition.
        type: string
        maxLength: 316
      status:
        description: True, False or Unknown.
        type: string
        enum:
          - 'True'
          - 'False'
          - Unknown
      reason:
        description: A machine-readable cause.
        type: string
        maxLength: 1024
      message:
        description: The cause in words.
        type: string
        maxLength: 32768
      lastTransitionTime:
        description: When the status last changed.
        type: string
        format: date-time
      observedGeneration:
        description: The generation that the condition speaks of.
        type: integer
        format: int64
revision:
  description: The revision in force.
  type: integer
  format: int64
deployedRelease:
  description: The release in force, as helm-operator names it, but without its manifest.
  type: object
  x-kubernetes-preserve-unknown-fields: true
  properties:
    name:
      description: Name of the release.
      type: string
inputs:
  description: Digest of everything that the revision in force was rendered from.
  type: string
signature:
  description: Shows that the operator wrote which objects belong to this resource.
  type: string
history:
  description: The recorded revisions, newest first.
  type: array
  x-kubernetes-list-type: atomic
  items:
    type: object
    required:
      - revision
    properties:
      revision:
        description: Number of the revision.
        type: integer
        format: int64
      status:
        description: deployed, superseded or failed.
        type: string
      description:
        description: What made the revision.
        type: string
      chart:
        description: Name and version of the chart.
        type: string
      digest:
        description: Digest of the rendered manifest.
        type: string
      deployedAt:
        description: When it was deployed, as RFC 3339 time.
        type: string
resources:
  description: 'The objects that belong to this resource: the inventory that pruning goes by.'
  type: array
  x-kubernetes-list-type: atomic
  items:
    type: object
    required:
      - kind
      - name
    properties:
      group:
        description: API group; absent for the core group.
        type: string
      version:
        description: API version with which it is applied.
        type: string
      kind:
        description: Kind of the object.
        type: string
      namespace:
        description: Namespace; absent for a cluster-scoped object.
        type: string
      name:
        description: Name of the object.
        type: string
      partial:
        description: Only some fields of the object are ours; it is never created or deleted.
        type: boolean
      held:
        description: What a rule held back.
        type: string
      frozen:
        description: Frozen fields that keep a live value other than the rendered one.
        type: string
      leftOut:
        description: Fields that do not fit the schema of the kind, and are left out.
        type: string
      drift:
        description: A change by others that stays, because the policy for drift is warn.
        type: string
      driftIgnored:
        description: annotation or rule, which has a change by others ignored.
        type: string
      unverified:
        description: >-
          A status that the operator had not signed named the object, and nothing has confirmed
          that it is a child.
        type: boolean
      outdated:
        description: A change of the object waits until it is deleted.
        type: boolean
      pace:
        description: held, coming or going; absent if no change of the object is under way.
        type: string
      ended:
        description: How a Job with a TTL has ended, and from when on the cluster removes it.
        type: string
      slot:
        description: Rendered name of the object, if its live name is generated.
        type: string
      serial:
        description: Number of its name among the generated names of the slot.
        type: integer
        format: int32
      desired:
        description: Digest of what was applied; of a Secret under a key of the operator.
        type: string
      observed:
        description: Digest of our fields in the answer of the API server; of a Secret under that key.
        type: string
      state:
        description: State of the object.
        type: string
externals:
  description: The objects outside the cluster, by the names that the bundle gives them.
  type: object
  additionalProperties:
    type: object
    properties:
      id:
        description: Id that the server gave.
        type: string
      intent:
        description: Since when a create may have been sent whose result is not known.
        type: string
      sent:
        description: Body of that create, as JSON.
        type: string
      held:
        description: Why nothing is done.
        type: string
pin:
  description: The rollback in force, or the failed attempt that is being undone.
  type: object
  properties:
    revision:
      description: The revision that stays in force.
      type: integer
      format: int64
    rejectedInputs:
      description: Digest of the inputs that the rollback rejected.
      type: string
    failed:
      description: The attempt whose failure is undone; absent where a user asked for the rollback.
      type: object
      properties:
        revision:
          description: The number of its record.
          type: integer
          format: int64
        message:
          description: Why it failed.
          type: string
        dryRun:
          description: Pending; Refused, so that later dry runs tell when to try again; or Accepted.
          type: string
        undone:
          description: Whether it was rolled back, or what it had installed is deleted.
          type: boolean
attempt:
  description: The work that has begun, until its end, and the failure of a hook that ended it.
  type: object
  properties:
    revision:
      description: The number of its record; of an uninstall, that of the revision in force.
      type: integer
      format: int64
    digest:
      description: Digest of its inputs and of all that it does.
      type: string
    content:
      description: Digest of its manifest and hooks, as the history has it in the end.
      type: string
    phase:
      description: The event whose hooks run, or apply.
      type: string
    hooksDone:
      description: How many objects of hooks have finished.
      type: integer
      format: int64
    hookUid:
      description: The uid of the one that runs.
      type: string
    hookStartedAt:
      description: When that was created.
      type: string
      format: date-time
    failure:
      description: The hook that failed, and why.
      type: string
selectedBy:
  description: The selector of the operator that has looked after this resource last; absent if it selects all.
  type: string
lastHandledRollback:
  description: The value of chartwright.io/rollback-to that was answered last.
  type: string
)yaml";

}  // namespace chartwright::generate
