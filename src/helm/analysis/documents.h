// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "helm/analysis/output.h"

namespace chartwright::helm::analysis {

/// Stands for a hole in a text; no YAML may contain it.
inline constexpr char kHoleMark = '\x01';

/// One word of a document, as far as it is known without values.
struct DocumentWord {
  std::string text;              ///< With a kHoleMark in place of each hole.
  const Output* hole = nullptr;  ///< The first hole, if there is any.
  bool present = false;
  auto operator<=>(const DocumentWord&) const = default;
};

/// A place in the text that a template writes.
struct TextPlace {
  const Output* node = nullptr;  ///< A text or a hole; nullptr: not known.
  size_t offset = 0;             ///< In the text of `node`.
  auto operator<=>(const TextPlace&) const = default;
};

/// The head of an object that a template may write. Of an object in a List: that of the item.
struct DocumentHead {
  DocumentWord api_version;
  DocumentWord kind;
  const Output* body = nullptr;  ///< A hole that may hold the head, or other documents.
  bool is_unclear = false;       ///< Kind or apiVersion are written in a way that is not read.
  TextPlace unclear;             ///< Where, if so.
  DocumentWord role_kind;        ///< The kind of the roleRef; absent if it is not known.
  bool is_hook = false;          ///< Has the annotation helm.sh/hook.
  bool is_test = false;          ///< Is a hook of the event "test", and of no other.
  auto operator<=>(const DocumentHead&) const = default;
};

/// Returns the heads of all objects that `output` may contain, for all values. `complete` becomes
/// false if they are too many to follow.
std::set<DocumentHead> document_heads(const OutputPtr& output, bool& complete);

}  // namespace chartwright::helm::analysis
