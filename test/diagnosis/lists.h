// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "diagnosis/diagnosis.h"
#include "value/value.h"

namespace chartwright::diagnosis {

/// The lists of a cluster, by kind.
struct Lists {
  std::map<std::string, std::vector<value::Value>> objects;
  std::set<std::string> forbidden;  ///< Kinds that nobody may list.

  /// Answers as an API server does: with the objects that the selectors select, up to the limit.
  Answer answer(const Question& question) const;
};

/// A search that has come to its end.
struct Run {
  std::vector<Question> asked;
  Finding finding;
};
Run run(const value::Value& child, const Lists& lists, size_t max_questions = kOperatorQuestions);

}  // namespace chartwright::diagnosis
