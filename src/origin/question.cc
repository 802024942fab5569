// SPDX-License-Identifier: Apache-2.0
#include "origin/question.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/printable.h"
#include "base/strings.h"
#include "base/unicode.h"
#include "resource/field_changes.h"

namespace chartwright::origin {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

constexpr std::string_view kSpec = "spec";
constexpr size_t kNamedMax = 20;
constexpr size_t kArgumentBytesMax = 200;

std::string quoted(std::string_view text) {
  return "\"" + base::shortened(base::printable(text), kArgumentBytesMax) + "\"";
}

Error wrong_form(std::string_view argument) {
  return Error(ErrorCode::kInvalidArgument,
               quoted(argument) +
                   " is not a field: it is KIND/NAME:PATH of a child, such as "
                   "Deployment/web:spec.replicas, or a path of the spec, such as spec.image.tag");
}

bool is_own(std::string_view argument) {
  return argument == kSpec || argument.starts_with("spec.") || argument.starts_with("spec[");
}

bool is_kind(const std::string& asked, const std::string& kind) {
  const std::string wanted = base::to_lower_ascii(asked);
  const std::string has = base::to_lower_ascii(kind);
  return wanted == has || wanted == has + "s" || wanted == has + "es";
}

bool is_meant(const ChildName& name, const kube::ObjectRef& ref) {
  return name.name == ref.name && is_kind(name.kind, ref.gvk.kind) &&
         (name.group.empty() || name.group == ref.gvk.group) &&
         (name.ns.empty() || name.ns == ref.ns);
}

/// Returns "Deployment/web", as an argument names a child.
std::string argument_of(const kube::ObjectRef& ref) {
  return base::printable(ref.gvk.kind + "/" + ref.name);
}

std::string list_of_names(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kNamedMax);
  const std::vector<std::string> first(names.begin(),
                                       names.begin() + static_cast<std::ptrdiff_t>(shown));
  const size_t more = names.size() - shown;
  return base::join(first, ", ") + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

Error no_such_child(const ChildName& name, const release::Inventory& children) {
  std::vector<std::string> names;
  for (const auto& [ref, entry] : children) {
    names.push_back(argument_of(ref));
  }
  const std::string asked = name.kind + "/" + name.name;
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string near(base::nearest(asked, candidates));
  std::string help = "; it has " + list_of_names(names);
  if (names.empty()) {
    help = "; it has none";
  } else if (!near.empty()) {
    help = "; did you mean " + near + "?";
  }
  return Error(ErrorCode::kNotFound, "there is no child " + quoted(asked) + help);
}

}  // namespace

bool is_question(std::string_view argument) {
  return is_own(argument) || argument.find(':') != std::string_view::npos;
}

base::Result<Question> parse_question(std::string_view argument) {
  if (is_own(argument)) {
    CW_TRY(op::FieldPath field, op::FieldPath::parse(argument));
    return Question{std::nullopt, std::move(field)};
  }
  const size_t colon = argument.find(':');
  const auto parts = base::split(argument.substr(0, colon), '/');
  const bool has_form = colon != std::string_view::npos && (parts.size() == 2 || parts.size() == 3);
  if (!has_form || std::ranges::any_of(parts, [](std::string_view part) { return part.empty(); })) {
    return wrong_form(argument);
  }
  ChildName child{std::string(parts.front()), "", parts.size() == 3 ? std::string(parts[1]) : "",
                  std::string(parts.back())};
  if (const size_t dot = child.kind.find('.'); dot != std::string::npos) {
    child.group = child.kind.substr(dot + 1);
    child.kind.resize(dot);
  }
  CW_TRY(op::FieldPath field, op::FieldPath::parse(argument.substr(colon + 1)));
  return Question{std::move(child), std::move(field)};
}

base::Result<Child> find_child(const ChildName& name, const release::Inventory& children) {
  std::vector<Child> found;
  for (const auto& [ref, entry] : children) {
    const kube::ObjectRef slot = release::slot_of(ref, entry);
    if (is_meant(name, ref) || is_meant(name, slot)) {
      found.push_back({ref, slot});
    }
  }
  if (found.empty()) {
    return no_such_child(name, children);
  }
  if (found.size() > 1) {
    std::vector<std::string> names;
    std::ranges::transform(found, std::back_inserter(names), [](const Child& child) {
      return base::printable(child.ref.to_string());
    });
    return Error(ErrorCode::kInvalidArgument, quoted(name.kind + "/" + name.name) +
                                                  " is several children: " + list_of_names(names) +
                                                  "; say which as KIND.GROUP/NAMESPACE/NAME:PATH");
  }
  return std::move(found.front());
}

base::Error no_such_field(const op::FieldPath& field, const std::string& where,
                          const std::vector<Value>& objects) {
  std::set<std::string> paths;
  for (const Value& object : objects) {
    for (const op::FieldChange& change : op::compare_fields(Value(), object).kept) {
      paths.insert(change.path);
    }
  }
  const std::vector<std::string_view> candidates(paths.begin(), paths.end());
  const std::string near(base::nearest(field.text(), candidates));
  return Error(ErrorCode::kNotFound,
               base::printable(where) + " has no field " + quoted(field.text()) +
                   (near.empty() ? "" : "; did you mean " + quoted(near) + "?"));
}

}  // namespace chartwright::origin
