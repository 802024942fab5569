// SPDX-License-Identifier: Apache-2.0
#include "diff/print.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/printable.h"
#include "base/strings.h"
#include "resource/field_text.h"
#include "value/json.h"

namespace chartwright::diff {
namespace {

using base::printable;
using value::Value;

/// The look of a line.
struct Style {
  std::string_view mark;
  std::string_view escape;  ///< ANSI: SGR.
};

Style style_of(Fate fate) {
  switch (fate) {
    case Fate::kCreate:
      return {"+", "\033[32m"};
    case Fate::kApply:
      return {"~", "\033[33m"};
    case Fate::kRecreate:
      return {"±", "\033[35m"};
    case Fate::kDelete:
      return {"-", "\033[31m"};
    case Fate::kHook:
      return {">", "\033[36m"};
    case Fate::kHold:
      return {"!", "\033[33m"};
    case Fate::kOwnership:
    case Fate::kUnchanged:
      break;
  }
  return {"=", "\033[2m"};
}

Style style_of(const FieldChange& field) {
  if (!field.before) {
    return style_of(Fate::kCreate);
  }
  return style_of(field.after ? Fate::kApply : Fate::kDelete);
}

std::string painted(const std::string& text, std::string_view escape, Color color) {
  return color == Color::kYes ? std::string(escape) + text + "\033[0m" : text;
}

std::string title_of(const kube::ObjectRef& ref) {
  std::string text = ref.gvk.api_version() + " " + ref.gvk.kind + " ";
  return text + (ref.ns.empty() ? "" : ref.ns + "/") + ref.name;
}

std::string field_line(const FieldChange& field, const host::SecretMask& secrets, Color color) {
  const Style style = style_of(field);
  const op::ShownValues texts = op::shown_values(field, secrets);
  std::string text = std::string(style.mark) + " " + printable(field.path) + ": ";
  if (texts.before && texts.after) {
    text += *texts.before + " → " + *texts.after;
  } else {
    text += texts.before.value_or(texts.after.value_or(""));
  }
  if (!field.managers.empty()) {
    text += " (managed by " + printable(base::join(field.managers, ", ")) + ")";
  }
  return "    " + painted(text, style.escape, color) + "\n";
}

std::string text_of(const ObjectChange& change, const host::SecretMask& secrets, Color color) {
  const Style style = style_of(change.fate);
  std::string title = std::string(style.mark) + " " + printable(title_of(change.ref)) + ": " +
                      std::string(to_string(change.fate));
  if (!change.why.empty()) {
    title += " (" + printable(secrets.masked(change.why)) + ")";
  }
  std::string text = painted(title, style.escape, color) + "\n";
  for (const FieldChange& field : change.fields.kept) {
    text += field_line(field, secrets, color);
  }
  if (change.fields.left_out > 0) {
    text += "    … and " + std::to_string(change.fields.left_out) + " more fields\n";
  }
  for (const std::string& consequence : change.consequences) {
    text += "    ! " + printable(secrets.masked(consequence)) + "\n";
  }
  return text;
}

constexpr std::array kCounted = {Fate::kCreate, Fate::kApply, Fate::kRecreate, Fate::kDelete,
                                 Fate::kHook,   Fate::kHold,  Fate::kUnchanged};

// A change of ownership alone leaves an object as it is.
size_t count(const Report& report, Fate fate) {
  return static_cast<size_t>(std::ranges::count_if(report.objects, [fate](const auto& change) {
    return change.fate == fate || (fate == Fate::kUnchanged && change.fate == Fate::kOwnership);
  }));
}

std::string counts_line(const Report& report) {
  std::vector<std::string> parts;
  for (const Fate fate : kCounted) {
    if (const size_t number = count(report, fate); number > 0) {
      parts.push_back(std::to_string(number) + " " + std::string(to_string(fate)));
    }
  }
  std::string text = has_changes(report) ? "Changes: " : "No changes: ";
  if (report.failure) {
    text = "Before the error: ";
  }
  text += parts.empty() ? "no objects" : base::join(parts, ", ");
  if (report.revision) {
    text += "; recorded as revision " + std::to_string(*report.revision);
  }
  return text + ".\n";
}

Value texts_value(const std::vector<std::string>& texts, const host::SecretMask& secrets) {
  std::vector<std::string> masked;
  masked.reserve(texts.size());
  for (const std::string& text : texts) {
    masked.push_back(printable(secrets.masked(text)));
  }
  return value::list_of(masked);
}

// Values are JSON texts, because they may be cut.
Value field_value(const FieldChange& field, const host::SecretMask& secrets) {
  Value object = Value::dict({{"path", Value::string(printable(field.path))}});
  const op::ShownValues texts = op::shown_values(field, secrets);
  if (texts.before) {
    object.mutable_dict().set("before", Value::string(*texts.before));
  }
  if (texts.after) {
    object.mutable_dict().set("after", Value::string(*texts.after));
  }
  if (field.secret) {
    object.mutable_dict().set("secret", Value::boolean(true));
  }
  if (!field.managers.empty()) {
    object.mutable_dict().set("managers", value::list_of(field.managers));
  }
  return object;
}

Value change_value(const ObjectChange& change, const host::SecretMask& secrets) {
  Value object = Value::dict(
      {{"action", Value::string(to_string(change.fate))}, {"object", ref_value(change.ref)}});
  value::Dict& members = object.mutable_dict();
  if (!change.why.empty()) {
    members.set("reason", Value::string(printable(secrets.masked(change.why))));
  }
  std::vector<Value> fields;
  for (const FieldChange& field : change.fields.kept) {
    fields.push_back(field_value(field, secrets));
  }
  if (!fields.empty()) {
    members.set("fields", Value::list(std::move(fields)));
  }
  if (change.fields.left_out > 0) {
    members.set("fieldsLeftOut", Value::integer(static_cast<int64_t>(change.fields.left_out)));
  }
  if (!change.consequences.empty()) {
    members.set("consequences", texts_value(change.consequences, secrets));
  }
  return object;
}

}  // namespace

Value ref_value(const kube::ObjectRef& ref) {
  Value object = Value::dict({{"apiVersion", Value::string(ref.gvk.api_version())},
                              {"kind", Value::string(ref.gvk.kind)},
                              {"name", Value::string(ref.name)}});
  if (!ref.ns.empty()) {
    object.mutable_dict().set("namespace", Value::string(ref.ns));
  }
  return object;
}

std::string changes_text(const Report& report, Color color, Unchanged unchanged) {
  std::string text;
  for (const ObjectChange& change : report.objects) {
    const bool stays = change.fate == Fate::kOwnership || change.fate == Fate::kUnchanged;
    if (!stays || unchanged == Unchanged::kShown) {
      text += text_of(change, report.secrets, color);
    }
  }
  for (const std::string& note : report.notes) {
    text += "Note: " + printable(report.secrets.masked(note)) + "\n";
  }
  return text;
}

std::string to_text(const Report& report, Color color, Unchanged unchanged) {
  return changes_text(report, color, unchanged) + counts_line(report);
}

Value to_value(const Report& report) {
  std::vector<Value> objects;
  for (const ObjectChange& change : report.objects) {
    objects.push_back(change_value(change, report.secrets));
  }
  Value counts = Value::dict();
  for (const Fate fate : kCounted) {
    counts.mutable_dict().set(to_string(fate),
                              Value::integer(static_cast<int64_t>(count(report, fate))));
  }
  Value all = Value::dict({{"objects", Value::list(std::move(objects))},
                           {"notes", texts_value(report.notes, report.secrets)},
                           {"counts", counts},
                           {"changes", Value::boolean(has_changes(report))}});
  if (report.decision) {
    all.mutable_dict().set("goal", Value::string(op::to_string(report.decision->goal)));
    all.mutable_dict().set("reason", Value::string(op::to_string(report.decision->reason)));
  }
  if (report.revision) {
    all.mutable_dict().set("revision", Value::integer(*report.revision));
  }
  if (report.failure) {
    all.mutable_dict().set("error", Value::string(report.failure->to_string()));
  }
  return all;
}

base::Result<std::string> to_json(const Report& report) {
  CW_TRY(std::string text, value::to_json(to_value(report), value::JsonEscape::kNone));
  return text + "\n";
}

}  // namespace chartwright::diff
