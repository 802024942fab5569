// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "helm/render/renderable_chart.h"
#include "host/secret_mask.h"
#include "release/document_search.h"
#include "resource/field_path.h"
#include "revision/record.h"
#include "value/value.h"

namespace chartwright::origin {

/// An object of a recorded manifest.
struct RecordedObject {
  value::Value body;
  std::string source;  ///< The template that wrote it, as "# Source:" names it; may be empty.
};

/// Returns an object of a manifest; nullopt if the manifest does not have it. Documents that are
/// not YAML are passed over: the record may be anyone's.
std::optional<RecordedObject> recorded_object(const std::string& manifest,
                                              const release::DocumentSearch& search);

/// Masks the contents of the Secrets in a manifest.
host::SecretMask secrets_in(const std::string& manifest);

/// Returns the chart of a record, without its dependencies: no record has these. Its values.yaml
/// has the values of the chart, but not its text. Errors: kNotFound where the record has no
/// templates, and those of RenderableChart::from_files.
base::Result<std::shared_ptr<const helm::RenderableChart>> recorded_chart(
    const release::Revision& revision);

/// Returns a value with whole numbers as integers: records have all numbers as floats.
value::Value with_integers(const value::Value& decoded);

/// Finds out since which revision a field has its value. Gets the revisions from the newest to the
/// oldest; each is forgotten at once.
class SinceSearch {
 public:
  /// The field of an object of the manifest.
  SinceSearch(release::DocumentSearch object, op::FieldPath field)
      : object_(std::move(object)), field_(std::move(field)) {}
  /// A field of the spec of the custom resource, as the values of the record have it.
  explicit SinceSearch(op::FieldPath field) : field_(std::move(field)) {}

  struct Since {
    int revision = 0;
    base::WallTime updated{};
    std::string description;
    std::string by;           ///< The field manager that had changed the spec; may be empty.
    bool is_certain = false;  ///< The revision before it has another value, or there was none.
  };

  /// Returns the value in a revision; nullopt if it does not have the field.
  std::optional<value::Value> value_in(const release::Revision& revision) const;
  /// Takes the next older revision. Reports whether older ones matter.
  bool add(const release::Revision& revision);
  /// Returns the oldest of the revisions that had the value without a break; nullopt if the first
  /// revision did not have the field.
  const std::optional<Since>& since() const { return since_; }

 private:
  std::optional<release::DocumentSearch> object_;
  op::FieldPath field_;
  value::Value value_;
  std::optional<Since> since_;
};

}  // namespace chartwright::origin
