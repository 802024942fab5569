// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "helm/lint/output.h"

namespace chartwright::helm::lint {

/// One word of a document, as far as it is known without values: a text, or the value of a hole.
struct DocumentWord {
  std::string text;
  const Output* hole = nullptr;  ///< Set if the word, or a part of it, is not known.
  bool present = false;
  auto operator<=>(const DocumentWord&) const = default;
};

/// The head of an object that a template may write. Of an object in a List: that of the item.
struct DocumentHead {
  DocumentWord api_version;
  DocumentWord kind;
  const Output* body = nullptr;  ///< A hole that may hold the head, if there is no kind.
  DocumentWord role_kind;        ///< The kind of the roleRef; absent if it is not known.
  bool is_hook = false;          ///< Has the annotation helm.sh/hook.
  bool is_test = false;          ///< Is a hook of the event "test", and of no other.
  auto operator<=>(const DocumentHead&) const = default;
};

/// Returns the heads of all objects that `output` may contain, for all values. `complete` becomes
/// false if they are too many to follow.
std::set<DocumentHead> document_heads(const OutputPtr& output, bool& complete);

}  // namespace chartwright::helm::lint
