// SPDX-License-Identifier: Apache-2.0
#include "defaults/described_value.h"

#include "base/strings.h"
#include "helm/analysis/usage.h"
#include "value/compare.h"
#include "value/json.h"

namespace chartwright::defaults {
namespace {

using helm::Comments;
using value::Value;

constexpr size_t kDefaultShownMax = 60;

std::string sentence_of(std::string_view usual) { return "Default: " + std::string(usual) + "."; }

bool is_empty(const Value& value) {
  return (value.is_string() && value.as_string().empty()) ||
         (value.is_list() && value.as_list().items.empty()) ||
         (value.is_dict() && value.as_dict().empty());
}

bool is_scalar(const Value& value) {
  return !value.is_nil() && !value.is_dict() && !value.is_list();
}

/// Reports whether a description tells of a default, in whatever words.
bool tells_default(std::string_view text) {
  return base::to_lower_ascii(text).find("default") != std::string::npos;
}

/// Returns what separates a sentence from a text that need not end with a full stop, and may have
/// lines.
std::string_view gap_after(std::string_view text) {
  if (text.empty()) {
    return "";
  }
  if (text.find('\n') != std::string_view::npos) {
    return "\n";
  }
  // A full stop would seem to be part of an address.
  const std::string_view last_word = text.substr(text.rfind(' ') + 1);
  const bool is_closed = std::string_view(".!?:").find(text.back()) != std::string_view::npos;
  return is_closed || last_word.find("://") != std::string_view::npos ? " " : ". ";
}

}  // namespace

Comments comments_of(const helm::Chart& chart) {
  Comments comments;
  for (const helm::analysis::ScopeOfChart& scope : helm::analysis::scopes_of(chart)) {
    Comments* at = &comments;
    for (const std::string& step : scope.prefix) {
      at = &at->below[step];
    }
    helm::add_comments(scope.chart->content->values_text, *at);
  }
  return comments;
}

DescribedValue DescribedValue::member(std::string_view key) const {
  DescribedValue member(usual_ != nullptr ? usual_->find(key) : nullptr,
                        comments_ != nullptr ? comments_->find(key) : nullptr);
  member.secrecy_ = secrecy_of(key, secrecy_);
  return member;
}

std::string DescribedValue::shown_default() const {
  if (usual_ == nullptr || !(is_scalar(*usual_) || is_empty(*usual_)) ||
      !value::json_equal(without_credentials(secrecy_, *usual_), *usual_)) {
    return "";
  }
  std::string json = value::to_json(*usual_, value::JsonEscape::kNone).value_or("");
  return json.size() <= kDefaultShownMax ? json : "";
}

std::string DescribedValue::text(std::string_view own, size_t comment_max) const {
  std::string text(own);
  std::string usual = shown_default();
  if (own.empty() && comments_ != nullptr) {
    text = helm::shown_comment(comments_->text, comment_max);
    usual = comments_->usual.empty() ? usual : comments_->usual;
  }
  const bool is_told = usual_ != nullptr && is_empty(*usual_) && tells_default(text) &&
                       (comments_ == nullptr || comments_->usual.empty());
  if (usual.empty() || is_told || text.ends_with(sentence_of(usual))) {
    return text;
  }
  text += gap_after(text);
  return text + sentence_of(usual);
}

std::string_view without_default(std::string_view description, const Value* usual) {
  if (usual != nullptr && !usual->is_nil()) {
    const std::string suffix =
        sentence_of(value::to_json(*usual, value::JsonEscape::kNone).value_or(""));
    description.remove_suffix(description.ends_with(suffix) ? suffix.size() : 0);
  }
  return base::trim(description);
}

}  // namespace chartwright::defaults
