// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/question.h"

#include <utility>

#include "kube/api_status.h"

namespace chartwright::diagnosis {

kube::ListOptions list_options(const Question& question) {
  kube::ListOptions options;
  options.selection = {question.ns, question.label_selector, question.field_selector};
  options.limit = static_cast<int64_t>(question.limit);
  options.bytes_max = kAnswerBytesMax;
  return options;
}

Answer answer_of(base::Result<kube::ListPage> page) {
  if (page.ok()) {
    return {Answer::State::kListed, std::move(page->items), !page->continue_token.empty()};
  }
  return {kube::lacks_right(page.error()) ? Answer::State::kForbidden
                                          : Answer::State::kUnavailable};
}

}  // namespace chartwright::diagnosis
