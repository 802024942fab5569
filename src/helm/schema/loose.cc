// SPDX-License-Identifier: Apache-2.0
// The loose equality of santhosh-tekuri/jsonschema release 6.0.2, where a number also equals a
// string that spells it. Source: its util.go equals, which compares printed numbers.
#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "helm/schema/graph.h"

namespace chartwright::helm {
namespace {

using value::Value;

/// Reports whether `text` spells `number` in decimal. Fractions and other bases, which big.Rat also
/// reads, are not supported.
bool writes(std::string_view text, const Value& number) {
  if (text.find_first_not_of("+-.0123456789eE") != std::string_view::npos) {
    return false;
  }
  const std::optional<double> written = base::parse_double(text);
  return written && std::isfinite(*written) &&
         compare_json_numbers(Value::number(*written), number) == 0;
}

// The recursion is no deeper than the schema, whose depth its parser limits.
bool is_loosely_equal(const Value& v, const Value& wanted, int64_t& steps) {
  ++steps;
  if (v.is_number() && wanted.is_string()) {
    steps += text_steps(wanted.as_string().size());
    return writes(wanted.as_string(), v);
  }
  if (v.is_list() && wanted.is_list()) {
    const auto& items = v.as_list().items;
    const auto& others = wanted.as_list().items;
    return std::equal(
        items.begin(), items.end(), others.begin(), others.end(),
        [&](const Value& a, const Value& b) { return is_loosely_equal(a, b, steps); });
  }
  if (v.is_dict() && wanted.is_dict()) {
    return std::equal(v.as_dict().begin(), v.as_dict().end(), wanted.as_dict().begin(),
                      wanted.as_dict().end(), [&](const auto& a, const auto& b) {
                        return a.first == b.first && is_loosely_equal(a.second, b.second, steps);
                      });
  }
  return json_order(v, wanted, steps) == 0;
}

}  // namespace

bool is_loosely_constant(const SchemaNode& node, const Value& v, int64_t& steps) {
  return node.release == SchemaRelease::k6_0_2 && is_loosely_equal(v, *node.constant, steps);
}

bool is_loosely_enumerated(const SchemaNode& node, const Value& v, int64_t& steps) {
  const auto& allowed = *node.enumeration;
  return node.release == SchemaRelease::k6_0_2 &&
         (!v.is_number() || std::ranges::any_of(allowed, &Value::is_number)) &&
         std::any_of(allowed.begin(), allowed.end(),
                     [&](const Value& one) { return is_loosely_equal(v, one, steps); });
}

}  // namespace chartwright::helm
