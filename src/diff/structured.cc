// SPDX-License-Identifier: Apache-2.0
#include "diff/structured.h"

#include <utility>

#include "base/printable.h"
#include "resource/field_text.h"
#include "value/json.h"

namespace chartwright::diff {
namespace {

using value::Value;

/// helm-diff's word for a change; "" for what it does not list. A field that a rule holds back
/// changes nothing.
std::string_view change_type(Fate fate) {
  switch (fate) {
    case Fate::kCreate:
    case Fate::kHook:
      return "ADD";
    case Fate::kApply:
    case Fate::kRecreate:
      return "MODIFY";
    case Fate::kDelete:
      return "REMOVE";
    case Fate::kOwnership:
      return "OWNERSHIP";
    case Fate::kHold:
    case Fate::kUnchanged:
      break;
  }
  return "";
}

/// A path without its last member, and that one: "data" and "a.b" of `data["a.b"]`.
std::pair<std::string, std::string> split(const std::string& path) {
  if (const size_t quote = path.rfind("[\""); quote != std::string::npos && path.ends_with("\"]")) {
    const auto name =
        value::parse_json(path.substr(quote + 1, path.size() - quote - 2), value::Numbers::kInt64);
    return {path.substr(0, quote), name.ok() && name->is_string() ? name->as_string() : path};
  }
  const size_t end = path.rfind(path.ends_with("]") ? '[' : '.');
  if (end == std::string::npos) {
    return {"", path};
  }
  return {path.substr(0, end), path.substr(path[end] == '.' ? end + 1 : end)};
}

/// Returns the value of a text of JSON; a text that was masked or cut is a string.
Value value_of(const std::string& text) {
  auto parsed = value::parse_json(text, value::Numbers::kInt64);
  return parsed.ok() ? *std::move(parsed) : Value::string(text);
}

Value change_value(const FieldChange& field, const host::SecretMask& secrets) {
  const op::ShownValues texts = op::shown_values(field, secrets);
  const auto [path, name] = split(base::printable(field.path));
  Value change = Value::dict();
  value::Dict& members = change.mutable_dict();
  if (!path.empty()) {
    members.set("path", Value::string(path));
  }
  members.set("field", Value::string(name));
  std::string_view kind = "replace";
  if (!texts.before) {
    kind = "add";
  } else if (!texts.after) {
    kind = "remove";
  }
  members.set("change", Value::string(kind));
  if (texts.before) {
    members.set("oldValue", value_of(*texts.before));
  }
  if (texts.after) {
    members.set("newValue", value_of(*texts.after));
  }
  return change;
}

Value entry_of(const ObjectChange& object, const host::SecretMask& secrets) {
  const kube::ObjectRef& ref = object.ref;
  Value entry = Value::dict({{"apiVersion", Value::string(ref.gvk.api_version())},
                             {"kind", Value::string(ref.gvk.kind)}});
  value::Dict& members = entry.mutable_dict();
  if (!ref.ns.empty()) {
    members.set("namespace", Value::string(ref.ns));
  }
  members.set("name", Value::string(ref.name));
  const std::string_view type = change_type(object.fate);
  members.set("changeType", Value::string(type));
  members.set("resourceStatus", Value::dict({{"oldExists", Value::boolean(type != "ADD")},
                                             {"newExists", Value::boolean(type != "REMOVE")}}));
  std::vector<Value> changes;
  if (type == "MODIFY") {
    for (const FieldChange& field : object.fields.kept) {
      changes.push_back(change_value(field, secrets));
    }
  }
  if (!changes.empty()) {
    members.set("changes", Value::list(std::move(changes)));
  }
  return entry;
}

}  // namespace

base::Result<std::string> to_structured(const std::vector<Member>& fleet) {
  std::vector<Value> entries;
  for (const Member& member : fleet) {
    for (const ObjectChange& object : member.report.objects) {
      if (!change_type(object.fate).empty()) {
        entries.push_back(entry_of(object, member.report.secrets));
      }
    }
  }
  CW_TRY(std::string text,
         value::to_json(Value::list(std::move(entries)), value::JsonEscape::kNone));
  return text + "\n";
}

}  // namespace chartwright::diff
