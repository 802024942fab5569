// SPDX-License-Identifier: Apache-2.0
#include "resource/field_path.h"

#include <algorithm>

#include "base/strings.h"
#include "value/differences.h"
#include "value/json.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using value::Path;
using value::Value;

constexpr std::string_view kOrderMark = " (order)";

class FieldPathParser {
 public:
  explicit FieldPathParser(std::string_view text) : text_(text) {}

  base::Result<std::vector<FieldPath::Step>> run() {
    if (text_.size() > Path::kMaxBytes) {
      return Error(ErrorCode::kBudget,
                   "the path of a field has at most " + std::to_string(Path::kMaxBytes) + " bytes");
    }
    while (at_ < text_.size() || steps_.empty()) {
      if (steps_.size() >= Path::kMaxSteps) {
        return Error(ErrorCode::kBudget, "the path of a field has at most " +
                                             std::to_string(Path::kMaxSteps) + " steps");
      }
      CW_TRY_VOID(step());
    }
    return std::move(steps_);
  }

 private:
  Error fault(std::string_view what) const {
    return Error(ErrorCode::kParse, "\"" + std::string(text_) +
                                        "\" is not the path of a field: at column " +
                                        std::to_string(at_ + 1) + ", " + std::string(what));
  }

  base::Status step() {
    if (at_ < text_.size() && text_[at_] == '[') {
      return bracketed();
    }
    if (!steps_.empty()) {
      if (text_[at_] != '.') {
        return fault("expected \".\" or \"[\"");
      }
      ++at_;
    }
    const size_t end = end_of_bare(at_);
    if (end == at_) {
      return fault("expected the name of a member, such as spec; others are written [\"name\"]");
    }
    steps_.emplace_back(std::string(text_.substr(at_, end - at_)));
    at_ = end;
    return {};
  }

  // at_ is on the bracket.
  base::Status bracketed() {
    const size_t end = end_of_bracket();
    if (end == std::string_view::npos) {
      return fault("expected a \"]\"");
    }
    const std::string_view inner = text_.substr(at_ + 1, end - at_ - 1);
    if (inner.starts_with('"')) {
      const auto name = value::parse_json(inner, value::Numbers::kInt64);
      if (!name.ok() || !name->is_string()) {
        return fault("expected a name in double quotes");
      }
      steps_.emplace_back(name->as_string());
    } else if (const size_t equals = inner.find('='); equals != std::string_view::npos) {
      steps_.emplace_back(FieldPath::Item{std::string(inner.substr(0, equals)),
                                          std::string(inner.substr(equals + 1))});
    } else if (const auto index = base::parse_int(inner); index && *index >= 0) {
      steps_.emplace_back(static_cast<size_t>(*index));
    } else {
      return fault("expected an item, such as [name=web] or [0], or a name in double quotes");
    }
    at_ = end + 1;
    return {};
  }

  size_t end_of_bare(size_t from) const {
    while (from < text_.size() && value::is_bare_member(text_.substr(from, 1))) {
      ++from;
    }
    return from;
  }

  // A bracket in double quotes does not end it.
  size_t end_of_bracket() const {
    bool is_quoted = false;
    for (size_t i = at_ + 1; i < text_.size(); ++i) {
      if (is_quoted && text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '"') {
        is_quoted = !is_quoted;
      } else if (text_[i] == ']' && !is_quoted) {
        return i;
      }
    }
    return std::string_view::npos;
  }

  const std::string_view text_;
  size_t at_ = 0;
  std::vector<FieldPath::Step> steps_;
};

/// Returns the place of an item in a list; nullopt if there is none.
std::optional<size_t> place_of_item(const Value& list, const FieldPath::Item& wanted) {
  if (!list.is_list()) {
    return std::nullopt;
  }
  const std::vector<Value>& items = list.as_list().items;
  const auto found = std::ranges::find_if(items, [&wanted](const Value& item) {
    const Value* member = item.find(wanted.key);
    return member != nullptr && value::item_id(*member) == wanted.id;
  });
  return found == items.end() ? std::nullopt
                              : std::optional(static_cast<size_t>(found - items.begin()));
}

}  // namespace

base::Result<FieldPath> FieldPath::parse(std::string_view text) {
  if (text.ends_with(kOrderMark)) {
    text.remove_suffix(kOrderMark.size());
  }
  CW_TRY(std::vector<Step> steps, FieldPathParser(text).run());
  return FieldPath(std::string(text), std::move(steps));
}

std::optional<Path> FieldPath::in(const Value& object) const {
  std::vector<Path::Step> found;
  const Value* at = &object;
  for (const Step& step : steps_) {
    if (const auto* item = std::get_if<Item>(&step)) {
      const auto place = place_of_item(*at, *item);
      if (!place) {
        return std::nullopt;
      }
      found.emplace_back(*place);
    } else if (const auto* name = std::get_if<std::string>(&step)) {
      found.emplace_back(*name);
    } else if (const auto* index = std::get_if<size_t>(&step)) {
      found.emplace_back(*index);
    }
    at = Path({found.back()}).get(*at);
    if (at == nullptr) {
      return std::nullopt;
    }
  }
  return Path(std::move(found));
}

}  // namespace chartwright::op
