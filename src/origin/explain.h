// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "helm/render/capabilities.h"
#include "helm/render/inputs.h"
#include "helm/render/renderable_chart.h"
#include "host/secret_mask.h"
#include "origin/answer.h"
#include "origin/field_trace.h"
#include "origin/question.h"
#include "origin/recorded.h"
#include "revision/record.h"
#include "value/value.h"

namespace chartwright::origin {

/// The knowledge of a field without its chart.
struct Subject {
  value::Value cr;
  std::string release_namespace;
  std::optional<Child> child;        ///< nullopt: the field is one of the custom resource's spec.
  std::optional<value::Value> live;  ///< The child; nullopt: there is none.
  op::FieldPath field;
  bool is_paused = false;
  int64_t in_force = 0;                       ///< The number of the revision in force; 0: none.
  std::optional<release::Revision> revision;  ///< The record of it; nullopt: it could not be read.
};

/// The chart of a release, and what its render uses of the cluster. The references must outlive it.
struct Chart {
  std::shared_ptr<const helm::RenderableChart> chart;
  /// It was read from a folder or an archive, and not from a record: the lines of values.yaml are
  /// those of its authors.
  bool has_lines = false;
  helm::Capabilities capabilities;
  const helm::RenderContext& context;
};

/// Makes an answer from what is known, step by step: each adds what it can find out.
class Explanation {
 public:
  /// `subject` must outlive it.
  explicit Explanation(const Subject& subject);

  /// Says who has set the field, and what the revision in force has. Error: kNotFound, with the
  /// nearest fields, where neither the cluster nor that revision has the field.
  base::Status compare();
  /// Says which template writes the field, and what it reads. Needs the record of the revision.
  /// Uses as much stack as a render. Errors: those of the render; what was said stays.
  base::Status trace(const Chart& chart);
  /// Returns a search for the first revision with the value.
  SinceSearch since_search() const;
  void add_since(const SinceSearch& search);
  /// Adds a sentence about what is not known; what is secret in it is masked.
  void add_gap(const std::string& sentence);

  const FieldAnswer& answer() const { return answer_; }

 private:
  const value::Value& object() const { return subject_.child ? *subject_.live : subject_.cr; }
  release::DocumentSearch search() const;
  std::string shown(const value::Value& value, bool is_credential = false) const;
  void add_writers(const value::Path& path);
  FieldState state_of(const std::optional<value::Value>& live,
                      const std::optional<value::Value>& recorded) const;
  bool is_autoscaled() const;
  ReadValue read_value(const helm::ReadOperand& read, const Chart& chart) const;
  helm::RenderInputs inputs(const Chart& chart) const;
  void mark_secret();
  bool add_default();
  base::Status trace_own(const helm::RenderRequest& request);

  const Subject& subject_;
  host::SecretMask secrets_;
  FieldAnswer answer_;
};

}  // namespace chartwright::origin
