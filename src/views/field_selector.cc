// SPDX-License-Identifier: Apache-2.0
#include "views/field_selector.h"

#include <algorithm>

#include "base/strings.h"
#include "kube/object.h"
#include "views/api_errors.h"

namespace chartwright::views {
namespace {

constexpr size_t kSelectorBytesMax = 16384;

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

}  // namespace

base::Result<FieldSelector> FieldSelector::parse(std::string_view text) {
  FieldSelector selector;
  if (text.size() > kSelectorBytesMax) {
    return bad_request("fieldSelector is longer than 16 KiB");
  }
  for (const std::string_view part : base::split(text, ',')) {
    if (part.empty()) {
      continue;
    }
    const size_t at = part.find('=');
    if (at == std::string_view::npos || at == 0) {
      return bad_request("invalid field selector: " + quoted(part) +
                         ": metadata.name=NAME or metadata.namespace=NAMESPACE is needed");
    }
    Requirement requirement;
    requirement.equal = part[at - 1] != '!';
    const std::string_view field = part.substr(0, requirement.equal ? at : at - 1);
    const bool is_double = part.substr(at).starts_with("==");
    requirement.value = part.substr(at + (is_double ? 2 : 1));
    requirement.is_name = field == "metadata.name";
    if (!requirement.is_name && field != "metadata.namespace") {
      return bad_request("field label not supported: " + std::string(field) +
                         ": use metadata.name or metadata.namespace");
    }
    selector.requirements_.push_back(std::move(requirement));
  }
  return selector;
}

bool FieldSelector::matches(const value::Value& object) const {
  return std::all_of(requirements_.begin(), requirements_.end(), [&](const Requirement& one) {
    const std::string_view is = one.is_name ? kube::name_of(object) : kube::namespace_of(object);
    return (is == one.value) == one.equal;
  });
}

}  // namespace chartwright::views
