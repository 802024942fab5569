// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/client.h"
#include "kube/object.h"
#include "value/value.h"

namespace chartwright::diagnosis {

inline constexpr size_t kListLimit = 50;
/// A longer answer counts as missing: pods of tenants may be as large as the API server lets them,
/// and an operator looks into many children at once.
inline constexpr size_t kAnswerBytesMax = size_t{4} << 20;

/// One list that a diagnosis asks of the API server. One of the selectors is not empty, so that no
/// question lists a whole kind.
struct Question {
  kube::Gvk gvk;
  std::string ns;              ///< Empty for kinds without a namespace.
  std::string label_selector;  ///< In the form that the API takes.
  std::string field_selector;
  size_t limit = kListLimit;
  bool operator==(const Question&) const = default;
};

struct Answer {
  enum class State : uint8_t { kListed, kForbidden, kUnavailable };
  State state = State::kListed;
  std::vector<value::Value> objects = {};  ///< At most as many as the limit.
  bool cut = false;                        ///< There are more objects than the limit.
};

/// Returns the list that a question asks for.
kube::ListOptions list_options(const Question& question);
/// Returns the answer that a list, or its error, is.
Answer answer_of(base::Result<kube::ListPage> page);

/// A question with its answer.
struct Asked {
  Question question;
  Answer answer;
};

}  // namespace chartwright::diagnosis
