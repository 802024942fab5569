// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "subject/records.h"
#include "subject/render_queue.h"

namespace chartwright::op {

/// Names what a reconcile renders, and keeps the digests in the status up to date. Manifests and
/// inputs may hold secrets, so their digests are under a key that only the release records have:
/// reading the status is not enough to test a guess (docs/design/006). Blocks.
class InputDigests {
 public:
  /// All must outlive it; prepare() fills in `inputs`, and ensure_key() the `key` of the digests.
  InputDigests(const Subject& subject, RenderQueue& renders, Records& records, Inputs& inputs,
               std::string& key)
      : subject_(subject), renders_(renders), records_(records), inputs_(inputs), key_(key) {}

  /// Fills in the inputs. Errors: kInvalidArgument where the release has no namespace, those of
  /// release_config and of operator/values.yaml, and those of the client and of the records.
  base::Status prepare();
  const Inputs& inputs() const { return inputs_; }
  /// Returns the digest that the status gives to inputs of that key.
  base::Result<std::string> digest_of(const std::string& key) const;
  /// Makes sure that the state has a key: that of the revision in force if its record is
  /// unchanged, otherwise a new one. Errors: those of reading the record, unless it is lost.
  base::Status ensure_key();

 private:
  /// The values that operator/values.yaml made of the custom resource.
  struct MappedValues {
    std::string key;  ///< The key of the input; empty: nothing was made yet.
    value::Packed values;
  };

  base::Result<value::Value> config();
  base::Result<value::Value> mapped_values();
  base::Status add_lookups();
  base::Status set_digests();

  const Subject& subject_;
  RenderQueue& renders_;
  Records& records_;
  Inputs& inputs_;
  std::string& key_;
};

/// Returns the values given to the chart, unless the bundle has an operator/values.yaml: the spec
/// with the watch's overrides. Error: kInvalidArgument where the spec is not a map or an override
/// does not parse.
base::Result<value::Value> release_config(const value::Value& cr, const bundle::Watch& watch);

}  // namespace chartwright::op
