// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kube/object.h"
#include "value/value.h"

namespace chartwright::diagnosis {

inline constexpr size_t kListLimit = 50;

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

/// A question with its answer.
struct Asked {
  Question question;
  Answer answer;
};

}  // namespace chartwright::diagnosis
