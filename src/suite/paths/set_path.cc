// SPDX-License-Identifier: Apache-2.0
#include "suite/paths/set_path.h"

#include <string>
#include <variant>
#include <vector>

#include "base/strings.h"
#include "go/quote.h"

namespace chartwright::suite {
namespace {

using value::Value;

constexpr int64_t kIndexMax = 65'536;
constexpr size_t kStepsMax = 256;

using Cursor = std::variant<std::string, size_t>;

base::Error malformed(const std::string& problem) {
  return base::Error(base::ErrorCode::kParse, problem);
}

/// The meaning of the text up to the next token.
enum class Expected : uint8_t {
  kKey,
  kIndex,       ///< After "[".
  kDenotation,  ///< After "]".
  kName,        ///< After a "[" that follows no key: a name with dots.
};

class SetPathParser {
 public:
  base::Result<std::vector<Cursor>> parse(std::string_view path) {
    while (true) {
      const size_t end = std::min(path.find_first_of(".[],{}="), path.size());
      const std::string_view text = path.substr(0, end);
      if (end == path.size()) {
        return finish(text);
      }
      const char token = path[end];
      if (std::string_view(",{}=").find(token) != std::string_view::npos) {
        return malformed("invalid token found " + std::string(1, token));
      }
      CW_TRY_VOID(step(text, token));
      if (cursors_.size() > kStepsMax) {
        return base::Error(base::ErrorCode::kBudget, "set path has too many steps");
      }
      path.remove_prefix(end + 1);
    }
  }

 private:
  base::Result<std::vector<Cursor>> finish(std::string_view text) {
    if (expected_ == Expected::kKey && !text.empty()) {
      cursors_.emplace_back(std::string(text));
    } else if (expected_ != Expected::kDenotation || !text.empty()) {
      return malformed("unexpected end of");
    }
    return std::move(cursors_);
  }

  base::Status step(std::string_view text, char token) {
    const std::string shown(1, token);
    switch (expected_) {
      case Expected::kIndex:
        return index(text, token);
      case Expected::kDenotation:
        if (token == ']') {
          return malformed("invalid denotation token " + shown);
        }
        expected_ = token == '.' ? Expected::kKey : Expected::kIndex;
        return {};
      case Expected::kKey:
        if (token == ']') {
          return malformed("invalid key " + shown);
        }
        if (token == '[' && text.empty()) {
          name_.clear();
          expected_ = Expected::kName;
          return {};
        }
        cursors_.emplace_back(std::string(text));
        expected_ = token == '.' ? Expected::kKey : Expected::kIndex;
        return {};
      case Expected::kName:
        if (token == '[') {
          return malformed("invalid escaping token " + shown);
        }
        name_ += text;
        if (token == '.') {
          name_ += '.';
          return {};
        }
        cursors_.emplace_back(name_);
        expected_ = Expected::kDenotation;
        return {};
    }
    return {};
  }

  base::Status index(std::string_view text, char token) {
    if (token != ']') {
      return malformed("missing index value");
    }
    const auto number = base::parse_int(text);
    if (!number || *number < 0) {
      return malformed("strconv.Atoi: parsing " + go::quote(text) + ": invalid syntax");
    }
    if (*number > kIndexMax) {
      return base::Error(
          base::ErrorCode::kBudget,
          "index " + std::to_string(*number) + " is greater than " + std::to_string(kIndexMax));
    }
    cursors_.emplace_back(static_cast<size_t>(*number));
    expected_ = Expected::kDenotation;
    return {};
  }

  std::vector<Cursor> cursors_;
  Expected expected_ = Expected::kKey;
  std::string name_;
};

}  // namespace

base::Result<Value> value_at_set_path(std::string_view path, const Value& v) {
  if (path.empty()) {
    return malformed("set path is empty");
  }
  CW_TRY(const std::vector<Cursor> cursors, SetPathParser().parse(path));
  Value built = v;
  for (auto cursor = cursors.rbegin(); cursor != cursors.rend(); ++cursor) {
    if (const auto* const name = std::get_if<std::string>(&*cursor)) {
      Value dict = Value::dict();
      dict.mutable_dict().set(*name, std::move(built));
      built = std::move(dict);
    } else if (const auto* const index = std::get_if<size_t>(&*cursor)) {
      std::vector<Value> items(*index);
      items.push_back(std::move(built));
      built = Value::list(std::move(items));
    }
  }
  if (!built.is_dict()) {
    return malformed("set path must start with a name");
  }
  return built;
}

}  // namespace chartwright::suite
