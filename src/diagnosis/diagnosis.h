// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diagnosis/cause.h"
#include "diagnosis/question.h"
#include "kube/object.h"
#include "value/value.h"

namespace chartwright::diagnosis {

/// As many questions as the operator asks for one child.
inline constexpr size_t kOperatorQuestions = 3;
/// As many as a person who asks why may cost. From this number on, the Events about the worst pod
/// are asked for even where its status says enough.
inline constexpr size_t kThoroughQuestions = 8;

struct Finding {
  /// The most important cause first; empty if nothing shows one.
  std::vector<Cause> causes;
  /// The lists that are missing: "no right to list Pods", "only 50 Pods were looked at".
  std::vector<std::string> gaps;
};

/// Returns the kinds that a search about an object of that kind may list; none where its own status
/// says all that can be known. A node, which takes a right in the whole cluster, is not among them:
/// the search does without.
std::vector<kube::Gvk> listed_kinds(const kube::GroupKind& kind);

/// The search for the cause for which an object is not ready. It asks nothing of a cluster itself:
///
///     Diagnosis diagnosis(child);
///     while (auto question = diagnosis.next()) {
///       diagnosis.answer(*question, list(*question));
///     }
///     diagnosis.finding();
///
/// Objects and answers may have any content. Not thread-safe.
class Diagnosis {
 public:
  /// `child` is a live object that is not ready.
  explicit Diagnosis(value::Value child, size_t max_questions = kOperatorQuestions)
      : child_(std::move(child)), max_questions_(max_questions) {}

  /// Returns the question that is most worth asking; nullopt if no answer would say more, or if
  /// all questions are used up. It stays the same until it is answered.
  std::optional<Question> next() const;
  /// Takes the answer to a question. Objects beyond its limit are ignored.
  void answer(const Question& question, Answer answer);
  /// Returns what the answers so far show.
  Finding finding() const;

 private:
  value::Value child_;
  size_t max_questions_;
  std::vector<Asked> asked_;
};

}  // namespace chartwright::diagnosis
