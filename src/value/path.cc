// SPDX-License-Identifier: Apache-2.0
#include "value/path.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/ascii.h"
#include "base/strings.h"

namespace chartwright::value {
namespace {

using base::Error;
using base::ErrorCode;
using Steps = std::span<const Path::Step>;

bool is_bare(char c) {
  return base::is_ascii_alphanumeric(c) || c == '_' || c == '-' || c == '$' || c == '/';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  base::Result<std::vector<Path::Step>> run() {
    if (text_.empty()) {
      return error("expected a member name, such as spec.replicas");
    }
    if (text_[0] != '[') {
      CW_TRY_VOID(bare());
    }
    while (at_ < text_.size()) {
      if (steps_.size() >= Path::kMaxSteps) {
        return Error(ErrorCode::kBudget,
                     "path has more than " + std::to_string(Path::kMaxSteps) + " steps");
      }
      if (text_[at_] == '[') {
        CW_TRY_VOID(bracketed());
      } else if (text_[at_] == '.') {
        ++at_;
        CW_TRY_VOID(bare());
      } else {
        return error(
            "expected \".\" or \"[\"; names with other characters are written as "
            "[\"name\"]");
      }
    }
    return std::move(steps_);
  }

 private:
  Error error(std::string_view what) const {
    base::SourcePos pos;
    pos.line = 1;
    pos.column = static_cast<int>(at_) + 1;
    return Error(ErrorCode::kParse,
                 "invalid path \"" + std::string(text_) + "\": " + std::string(what))
        .at(std::move(pos));
  }

  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }

  base::Status bare() {
    const size_t start = at_;
    while (at_ < text_.size() && is_bare(text_[at_])) {
      ++at_;
    }
    if (at_ == start) {
      return error("expected a member name");
    }
    steps_.emplace_back(std::string(text_.substr(start, at_ - start)));
    return {};
  }

  // at_ is on the bracket.
  base::Status bracketed() {
    ++at_;
    if (next_is('"')) {
      CW_TRY_VOID(quoted());
    } else {
      const size_t start = at_;
      while (at_ < text_.size() && base::is_ascii_digit(text_[at_])) {
        ++at_;
      }
      const std::optional<int64_t> index = base::parse_int(text_.substr(start, at_ - start));
      if (!index) {
        at_ = start;
        return error("expected an index or a quoted name");
      }
      steps_.emplace_back(static_cast<size_t>(*index));
    }
    if (!next_is(']')) {
      return error("expected \"]\"");
    }
    ++at_;
    return {};
  }

  // at_ is on the opening quote.
  base::Status quoted() {
    const size_t start = at_++;
    std::string name;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\') {
        ++at_;
        if (!next_is('"') && !next_is('\\')) {
          return error("only \\\" and \\\\ can follow a backslash");
        }
      }
      name += text_[at_++];
    }
    if (at_ >= text_.size()) {
      at_ = start;
      return error("quoted name does not end");
    }
    ++at_;
    steps_.emplace_back(std::move(name));
    return {};
  }

  const std::string_view text_;
  size_t at_ = 0;
  std::vector<Path::Step> steps_;
};

const Value* child(const Value& v, const Path::Step& step) {
  if (const auto* name = std::get_if<std::string>(&step)) {
    return v.find(*name);
  }
  const size_t index = std::get<size_t>(step);
  const bool there = v.is_list() && index < v.as_list().items.size();
  return there ? &v.as_list().items[index] : nullptr;
}

std::string text_of(Steps steps) {
  return Path(std::vector<Path::Step>(steps.begin(), steps.end())).to_string();
}

// Returns the error if `set` cannot continue from `v`, which is at `walked`.
std::optional<Error> cannot_step(const Value& v, const Path::Step& step, Steps walked) {
  const std::string where = walked.empty() ? "the document" : text_of(walked);
  if (std::holds_alternative<std::string>(step)) {
    const bool steppable = v.is_dict() || v.is_nothing();
    return steppable ? std::nullopt
                     : std::optional(Error(
                           ErrorCode::kInvalidArgument,
                           where + " is " + std::string(kind_noun(v.kind())) + ", not an object"));
  }
  if (!v.is_list()) {
    return Error(ErrorCode::kInvalidArgument,
                 where + " is " + std::string(kind_noun(v.kind())) + ", not a list");
  }
  const size_t size = v.as_list().items.size();
  return std::get<size_t>(step) < size
             ? std::nullopt
             : std::optional(
                   Error(ErrorCode::kInvalidArgument, where + " has " + std::to_string(size) +
                                                          " elements, so none at index " +
                                                          std::to_string(std::get<size_t>(step))));
}

// Returns a copy of the list `v` in which element `index` is `item`, or is removed without one.
Value with_item(const Value& v, size_t index, std::optional<Value> item) {
  std::vector<Value> items = v.as_list().items;
  if (item) {
    items[index] = *std::move(item);
  } else {
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
  }
  return Value::list(std::move(items), v.as_list().type);
}

// The path has been checked. Recursion is bounded by Path::kMaxSteps.
void set_at(Value& at, Steps steps, Value v) {
  if (steps.empty()) {
    at = std::move(v);
    return;
  }
  if (const auto* name = std::get_if<std::string>(&steps.front())) {
    if (!at.is_dict()) {
      at = Value::dict();
    }
    set_at(at.mutable_dict().at_or_insert(*name), steps.subspan(1), std::move(v));
    return;
  }
  const size_t index = std::get<size_t>(steps.front());
  Value item = at.as_list().items[index];
  set_at(item, steps.subspan(1), std::move(v));
  at = with_item(at, index, std::move(item));
}

// The member exists. Recursion is bounded by Path::kMaxSteps.
void erase_at(Value& at, Steps steps) {
  const bool last = steps.size() == 1;
  if (const auto* name = std::get_if<std::string>(&steps.front())) {
    if (last) {
      at.mutable_dict().erase(*name);
    } else {
      erase_at(*at.mutable_dict().find(*name), steps.subspan(1));
    }
    return;
  }
  const size_t index = std::get<size_t>(steps.front());
  std::optional<Value> item;
  if (!last) {
    item = at.as_list().items[index];
    erase_at(*item, steps.subspan(1));
  }
  at = with_item(at, index, std::move(item));
}

}  // namespace

base::Result<Path> Path::parse(std::string_view text) {
  if (text.size() > kMaxBytes) {
    return Error(ErrorCode::kBudget, "path is longer than " + std::to_string(kMaxBytes) + " bytes");
  }
  CW_TRY(std::vector<Step> steps, Parser(text).run());
  return Path(std::move(steps));
}

std::string Path::to_string() const {
  std::string out;
  for (const Step& step : steps_) {
    if (const auto* index = std::get_if<size_t>(&step)) {
      out += "[" + std::to_string(*index) + "]";
      continue;
    }
    const auto& name = std::get<std::string>(step);
    if (!name.empty() && std::all_of(name.begin(), name.end(), is_bare)) {
      out += (out.empty() ? "" : ".") + name;
      continue;
    }
    const std::string escaped =
        base::replace_all(base::replace_all(name, "\\", "\\\\"), "\"", "\\\"");
    out += "[\"" + escaped + "\"]";
  }
  return out;
}

const Value* Path::get(const Value& root) const {
  const Value* at = &root;
  for (const Step& step : steps_) {
    at = child(*at, step);
    if (at == nullptr) {
      return nullptr;
    }
  }
  return at;
}

base::Status Path::set(Value& root, Value v) const {
  static const Value kMissing;
  const Steps steps(steps_);
  const Value* at = &root;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (std::optional<Error> error = cannot_step(*at, steps[i], steps.first(i))) {
      return *std::move(error);
    }
    const Value* next = child(*at, steps[i]);
    at = next == nullptr ? &kMissing : next;
  }
  set_at(root, steps, std::move(v));
  return {};
}

bool Path::erase(Value& root) const {
  if (steps_.empty() || get(root) == nullptr) {
    return false;
  }
  erase_at(root, steps_);
  return true;
}

}  // namespace chartwright::value
