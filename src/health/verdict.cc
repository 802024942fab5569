// SPDX-License-Identifier: Apache-2.0
#include "health/verdict.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace chartwright::health {
namespace {

using value::Value;

// More than is ever shown, also of a text in which each character is escaped.
constexpr size_t kWordsBytesMax = 1024;

// Returns the message without `pods "web-7d9c5b-x2x7q" is forbidden: `.
std::string_view without_pod_name(std::string_view message) {
  constexpr std::string_view kVerdict = "\" is forbidden: ";
  if (!message.starts_with("pods \"")) {
    return message;
  }
  const size_t at = message.find(kVerdict);
  return at == std::string_view::npos ? message : message.substr(at + kVerdict.size());
}

}  // namespace

Readiness ready() { return {}; }

Readiness progressing(std::string message) {
  return {ReadyState::kProgressing, std::move(message)};
}

Readiness failed(std::string message) { return {ReadyState::kFailed, std::move(message)}; }

int64_t count_at(const Value& object, std::initializer_list<std::string_view> path,
                 int64_t fallback) {
  using Limits = std::numeric_limits<int32_t>;
  const Value* v = object.find_path(path);
  return v != nullptr && v->is_int()
             ? std::clamp<int64_t>(v->as_int(), Limits::min(), Limits::max())
             : fallback;
}

bool has_observed_generation(const Value& object) {
  const Value* seen = object.find_path({"status", "observedGeneration"});
  return seen != nullptr && seen->is_int();
}

std::string words_of(const Value* condition) {
  if (condition == nullptr) {
    return "";
  }
  const std::string_view reason = condition->string_at({"reason"}).substr(0, kWordsBytesMax);
  const std::string_view message =
      without_pod_name(condition->string_at({"message"})).substr(0, kWordsBytesMax);
  std::string words(reason);
  words += reason.empty() || message.empty() ? "" : ": ";
  words += message;
  return words;
}

std::string words_or(const Value* condition, std::string_view otherwise) {
  std::string words = words_of(condition);
  return words.empty() ? std::string(otherwise) : words;
}

std::string with_words(std::string_view text, const Value* condition) {
  const std::string words = words_of(condition);
  return std::string(text) + (words.empty() ? "" : ": ") + words;
}

}  // namespace chartwright::health
