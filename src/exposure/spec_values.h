// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "bundle/bundle.h"
#include "bundle/schema_place.h"
#include "external/reads.h"

namespace chartwright::exposure {

/// The parts of a custom resource that its author writes, as templates name them.
inline constexpr std::array<std::string_view, 3> kWrittenByAuthor = {
    ".CR.spec", ".CR.metadata.annotations", ".CR.metadata.labels"};

/// Tells which values of a chart a spec may set.
class SpecValues {
 public:
  /// `spec` is the schema of the spec in the CRD, if it is known: fields that it lacks are dropped,
  /// as are those of `crd.omit`. Both must outlive the object.
  SpecValues(const bundle::Bundle& bundle, const std::optional<bundle::SchemaPlace>& spec);

  /// `path` has at least one step.
  bool may_set(const helm::analysis::Steps& path) const;

 private:
  bool has_field(const helm::analysis::Steps& path) const;

  const bundle::Bundle& bundle_;
  const std::optional<bundle::SchemaPlace>& spec_;
  std::vector<helm::analysis::Steps>
      mapped_;  ///< Written by operator/values.yaml from the author's.
};

/// Something that a spec may choose, and the worth of that to those who write it.
struct Door {
  std::string_view chosen;
  std::string_view gain;
};

/// Returns the warning that `names`, which a spec may set, choose what is behind a door. It begins
/// with `before`.
base::Error warning(const std::string& before, const Door& door,
                    const std::vector<std::string>& names);

/// Returns what a template of operator/ reads that the author of a custom resource may set:
/// ".CR.spec", ".Values.store.url".
std::vector<std::string> chosen_by(const helm::OperatorTemplate& text,
                                   const external::ReadFinder& reads, const SpecValues& values);

}  // namespace chartwright::exposure
