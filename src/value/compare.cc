// SPDX-License-Identifier: Apache-2.0
#include "value/compare.h"

#include <cmath>
#include <cstdint>
#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "base/digest.h"

namespace chartwright::value {
namespace {

// Visited pairs of dicts are recorded only after this many comparisons: a cycle goes on beyond it,
// and ordinary documents end before it.
constexpr size_t kCycleCheckSteps = 100'000;

enum class Rules : uint8_t { kGo, kJson };

bool is_unsigned(const Value& v) { return v.int_type() == IntType::kUint64; }

// Compares both as JSON integers. A uint64 above the int64 range is stored as a negative number.
bool ints_equal(const Value& a, const Value& b) {
  if (a.as_int() != b.as_int()) {
    return false;
  }
  return a.as_int() >= 0 || is_unsigned(a) == is_unsigned(b);
}

// Compares exactly: 2^53+1 does not equal the double next to it.
bool int_equals_float(const Value& whole, double number) {
  if (std::trunc(number) != number) {
    return false;
  }
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (is_unsigned(whole) && whole.as_int() < 0) {
    return number >= kTwoTo63 && number < 2 * kTwoTo63 &&
           static_cast<uint64_t>(number) == static_cast<uint64_t>(whole.as_int());
  }
  return number >= -kTwoTo63 && number < kTwoTo63 && static_cast<int64_t>(number) == whole.as_int();
}

bool numbers_equal(const Value& a, const Value& b) {
  if (a.is_int() && b.is_int()) {
    return ints_equal(a, b);
  }
  if (a.is_float() && b.is_float()) {
    return a.as_float() == b.as_float();
  }
  return a.is_int() ? int_equals_float(a, b.as_float()) : int_equals_float(b, a.as_float());
}

// Returns the JSON form of a native or, without one, its text, so that different natives differ.
Value json_form(const Native& native) {
  return native.to_json_value().value_or(Value::string(native.to_string()));
}

// Compares iteratively, with a list of pending pairs.
class Comparison {
 public:
  explicit Comparison(Rules rules) : rules_(rules) {}

  bool run(const Value& a, const Value& b) {
    pending_.emplace_back(&a, &b);
    while (!pending_.empty()) {
      const auto [left, right] = pending_.back();
      pending_.pop_back();
      if (!(rules_ == Rules::kGo ? go_step(*left, *right) : json_step(*left, *right))) {
        return false;
      }
    }
    return true;
  }

 private:
  bool go_step(const Value& a, const Value& b) {
    if (a.kind() != b.kind()) {
      return false;
    }
    switch (a.kind()) {
      case Kind::kInt:
        return a.int_type() == b.int_type() && a.as_int() == b.as_int();
      case Kind::kFloat:
        return a.as_float() == b.as_float();
      case Kind::kList:
        return a.as_list().type == b.as_list().type && a.as_list().is_nil == b.as_list().is_nil &&
               push_items(a.as_list(), b.as_list());
      case Kind::kDict:
        return a.dict_type() == b.dict_type() && a.is_nil_dict() == b.is_nil_dict() &&
               push_members(a.as_dict(), b.as_dict());
      case Kind::kBytes:
        return a.is_nil_bytes() == b.is_nil_bytes() && a.as_string() == b.as_string();
      case Kind::kNative:
        return natives_equal(a.as_native(), b.as_native());
      default:
        return simple_equal(a, b);
    }
  }

  bool json_step(const Value& a, const Value& b) {
    if (a.is_native() || b.is_native()) {
      return json_step_on_natives(a, b);
    }
    if (is_null(a) || is_null(b)) {
      return is_null(a) && is_null(b);
    }
    if (a.is_number() && b.is_number()) {
      return numbers_equal(a, b);
    }
    if (a.is_bytes() != b.is_bytes()) {
      const Value& bytes = a.is_bytes() ? a : b;
      const Value& other = a.is_bytes() ? b : a;
      return other.is_string() && other.as_string() == base::base64_encode(bytes.as_string());
    }
    if (a.kind() != b.kind()) {
      return false;
    }
    if (a.is_list()) {
      return push_items(a.as_list(), b.as_list());
    }
    return a.is_dict() ? push_members(a.as_dict(), b.as_dict()) : simple_equal(a, b);
  }

  // The JSON form of a native exists only for the comparison, so it is kept until the end.
  bool json_step_on_natives(const Value& a, const Value& b) {
    const auto form = [this](const Value& v) -> const Value& {
      return v.is_native() ? json_forms_.emplace_back(json_form(v.as_native())) : v;
    };
    pending_.emplace_back(&form(a), &form(b));
    return true;
  }

  bool natives_equal(const Native& a, const Native& b) {
    if (&a == &b) {
      return true;
    }
    if (a.go_type() != b.go_type()) {
      return false;
    }
    const Value& left = json_forms_.emplace_back(json_form(a));
    const Value& right = json_forms_.emplace_back(json_form(b));
    pending_.emplace_back(&left, &right);
    return true;
  }

  static bool simple_equal(const Value& a, const Value& b) {
    switch (a.kind()) {
      case Kind::kBool:
        return a.as_bool() == b.as_bool();
      case Kind::kString:
      case Kind::kBytes:
        return a.as_string() == b.as_string();
      default:
        return true;  // nil and no-value have no content.
    }
  }

  bool push_items(const List& a, const List& b) {
    if (a.items.size() != b.items.size()) {
      return false;
    }
    for (size_t i = 0; &a != &b && i < a.items.size(); ++i) {
      pending_.emplace_back(&a.items[i], &b.items[i]);
    }
    return true;
  }

  bool push_members(const Dict& a, const Dict& b) {
    if (&a == &b) {
      return true;
    }
    if (a.size() != b.size()) {
      return false;
    }
    if (++steps_ > kCycleCheckSteps && !visited_.emplace(&a, &b).second) {
      return true;  // Already being compared, further up the cycle.
    }
    for (auto left = a.begin(), right = b.begin(); left != a.end(); ++left, ++right) {
      if (left->first != right->first) {
        return false;
      }
      pending_.emplace_back(&left->second, &right->second);
    }
    return true;
  }

  const Rules rules_;
  std::vector<std::pair<const Value*, const Value*>> pending_;
  std::deque<Value> json_forms_;
  size_t steps_ = 0;
  std::set<std::pair<const Dict*, const Dict*>> visited_;
};

}  // namespace

bool is_null(const Value& v) {
  switch (v.kind()) {
    case Kind::kNil:
    case Kind::kNoValue:
      return true;
    case Kind::kList:
      return v.as_list().is_nil;
    case Kind::kDict:
      return v.is_nil_dict();
    case Kind::kBytes:
      return v.is_nil_bytes();
    default:
      return false;
  }
}

bool deep_equal(const Value& a, const Value& b) { return Comparison(Rules::kGo).run(a, b); }

bool json_equal(const Value& a, const Value& b) { return Comparison(Rules::kJson).run(a, b); }

}  // namespace chartwright::value
