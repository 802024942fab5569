// SPDX-License-Identifier: Apache-2.0
#include "origin/answer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/strings.h"

namespace chartwright::origin {
namespace {

using value::Value;

constexpr std::string_view kValues = ".Values";
constexpr std::string_view kHidden = "(not shown)";

Value string_value(const std::string& text) { return Value::string(text); }

/// Returns "shop/one", as the arguments of commands name a custom resource.
std::string argument_name(const kube::ObjectRef& ref) {
  return base::to_lower_ascii(ref.gvk.kind) + "/" + ref.name;
}

std::string namespace_flag(const kube::ObjectRef& ref) {
  return ref.ns.empty() ? "" : " --namespace " + ref.ns;
}

/// Returns "kubectl-scale (Update of scale, 2026-11-28T09:01:28Z)".
std::string words_of(const Writer& writer) {
  std::string details = writer.operation;
  details += writer.subresource.empty() ? "" : " of " + writer.subresource;
  details += writer.time.empty() ? "" : ", " + writer.time;
  return (writer.is_ours ? "this operator, " : "") + writer.manager + " (" + details + ")";
}

std::string writers_text(const std::vector<Writer>& writers) {
  if (writers.empty()) {
    return ", set by the API server";
  }
  std::vector<std::string> texts;
  std::ranges::transform(writers, std::back_inserter(texts), words_of);
  return ", set by " + base::join(texts, " and ");
}

std::string live_line(const FieldAnswer& answer) {
  if (answer.state == FieldState::kChildGone) {
    return "  live: the object does not exist\n";
  }
  return answer.live ? "  live: " + *answer.live + writers_text(answer.writers) + "\n"
                     : "  live: not set\n";
}

std::string record_line(const FieldAnswer& answer) {
  if (answer.revision == 0 || answer.state == FieldState::kUnknown) {
    return "";
  }
  const std::string of_own = answer.child ? "" : ", in the values of the release";
  return "  revision " + std::to_string(answer.revision) + ": " +
         (answer.recorded ? *answer.recorded : "not set") + of_own + "\n";
}

std::string value_line(const ReadValue& read, const kube::ObjectRef& cr) {
  std::string text = "    reads " + read.name;
  switch (read.source) {
    case Source::kSpec:
      return text + ": " + read.value.value_or(std::string(kHidden)) + ", from " + read.place +
             " of " + argument_name(cr) + "\n";
    case Source::kOutside:
      return text + ": " + std::string(kHidden) +
             ", from the values of the release, and not from the spec as it is: overrideValues "
             "of watches.yaml, operator/values.yaml, or an earlier spec\n";
    case Source::kChart:
      return text + ": " + read.value.value_or(std::string(kHidden)) + ", the default in " +
             read.place + "\n";
    case Source::kUnset:
      return text + ": not set\n";
    case Source::kBuiltin:
      break;
  }
  return text + "\n";
}

std::string template_lines(const FieldAnswer& answer) {
  std::string text;
  if (!answer.places.empty()) {
    text = "  template: " + base::join(answer.places, ", by ") + "\n";
  }
  for (const ReadValue& read : answer.values) {
    text += value_line(read, answer.cr);
  }
  return text;
}

std::string use_lines(const FieldAnswer& answer) {
  std::string text;
  for (const UsedBy& use : answer.uses) {
    text += "  used: " + use.object.to_string() + ": " + use.field + " = " + use.value + " (" +
            use.place + ")\n";
  }
  return text + (answer.more_uses > 0
                     ? "  used: " + std::to_string(answer.more_uses) + " more fields\n"
                     : "");
}

std::string since_line(const FieldAnswer& answer) {
  if (!answer.since) {
    return "";
  }
  const FirstRevision& first = *answer.since;
  return "  since: revision " + std::to_string(first.revision) +
         (first.is_certain ? "" : " or an earlier one") + ", " + first.updated + ", " +
         first.description + (first.by.empty() ? "" : ", by " + first.by) + "\n";
}

/// Returns the first manager that is not ours.
std::string other_manager(const FieldAnswer& answer) {
  const auto found =
      std::ranges::find_if(answer.writers, [](const Writer& writer) { return !writer.is_ours; });
  return found == answer.writers.end() ? "somebody" : found->manager;
}

/// Returns what to do for another value of a field that a template writes.
std::string source_advice(const FieldAnswer& answer) {
  const std::string cr = argument_name(answer.cr);
  const auto of = [&answer](Source source) {
    return std::ranges::find(answer.values, source, &ReadValue::source);
  };
  if (const auto read = of(Source::kSpec); read != answer.values.end()) {
    return "change " + read->place + " of " + cr;
  }
  if (of(Source::kOutside) != answer.values.end()) {
    return "change overrideValues of watches.yaml or operator/values.yaml: the spec does not "
           "decide it";
  }
  for (const Source source : {Source::kChart, Source::kUnset}) {
    if (const auto read = of(source); read != answer.values.end()) {
      return "set spec" + read->name.substr(kValues.size()) + " of " + cr;
    }
  }
  if (!answer.places.empty()) {
    return "change the chart: " + answer.places.front() + " reads no value for it";
  }
  return "chartwright diff " + cr + namespace_flag(answer.cr);
}

Value value_of(const kube::ObjectRef& ref) {
  return Value::dict({{"apiVersion", string_value(ref.gvk.api_version())},
                      {"kind", string_value(ref.gvk.kind)},
                      {"namespace", string_value(ref.ns)},
                      {"name", string_value(ref.name)}});
}

void set_if(Value& object, std::string_view key, const std::optional<std::string>& text) {
  if (text) {
    object.mutable_dict().set(key, string_value(*text));
  }
}

template <typename T>
Value list_value(const std::vector<T>& items, Value (*each)(const T&)) {
  std::vector<Value> values;
  std::ranges::transform(items, std::back_inserter(values), each);
  return Value::list(std::move(values));
}

Value writer_value(const Writer& writer) {
  return Value::dict({{"manager", string_value(writer.manager)},
                      {"operation", string_value(writer.operation)},
                      {"subresource", string_value(writer.subresource)},
                      {"time", string_value(writer.time)},
                      {"ours", Value::boolean(writer.is_ours)}});
}

Value read_value(const ReadValue& read) {
  Value object = Value::dict({{"name", string_value(read.name)},
                              {"source", Value::string(to_string(read.source))},
                              {"place", string_value(read.place)}});
  set_if(object, "value", read.value);
  return object;
}

Value use_value(const UsedBy& use) {
  return Value::dict({{"object", value_of(use.object)},
                      {"field", string_value(use.field)},
                      {"value", string_value(use.value)},
                      {"place", string_value(use.place)}});
}

}  // namespace

std::string_view to_string(Source source) {
  switch (source) {
    case Source::kSpec:
      return "spec";
    case Source::kOutside:
      return "outside";
    case Source::kChart:
      return "chart";
    case Source::kUnset:
      return "unset";
    case Source::kBuiltin:
      break;
  }
  return "builtin";
}

std::string_view to_string(FieldState state) {
  switch (state) {
    case FieldState::kAsRecorded:
      return "AsRecorded";
    case FieldState::kChanged:
      return "Changed";
    case FieldState::kAutoscaled:
      return "Autoscaled";
    case FieldState::kNotRendered:
      return "NotRendered";
    case FieldState::kFieldGone:
      return "FieldGone";
    case FieldState::kChildGone:
      return "ChildGone";
    case FieldState::kOfSpec:
      return "OfSpec";
    case FieldState::kUnknown:
      break;
  }
  return "Unknown";
}

std::string advice_for(const FieldAnswer& answer) {
  const std::string cr = argument_name(answer.cr);
  std::string diff = "chartwright diff " + cr + namespace_flag(answer.cr);
  switch (answer.state) {
    case FieldState::kAsRecorded:
      return source_advice(answer);
    case FieldState::kAutoscaled:
      return "change the limits of the autoscaler: the operator leaves the field to it";
    case FieldState::kNotRendered:
      return answer.writers.empty() ? "let the chart write it: the API server has set a default"
                                    : "ask " + other_manager(answer) +
                                          ", which has set it: no template of the chart writes it";
    case FieldState::kOfSpec:
      return "change " + answer.field + " of " + cr;
    case FieldState::kChanged:
    case FieldState::kFieldGone:
    case FieldState::kChildGone:
      if (answer.is_paused) {
        return "chartwright resume " + cr + namespace_flag(answer.cr) +
               ": a paused custom resource is not repaired";
      }
      if (answer.state == FieldState::kChanged) {
        return diff + ": it shows whether the operator takes back the change by " +
               other_manager(answer) + ", or leaves the field to it by a rule";
      }
      return diff + ": it shows whether the operator brings it back";
    case FieldState::kUnknown:
      break;
  }
  return diff;
}

std::string text_of(const FieldAnswer& answer) {
  std::string text = (answer.child ? *answer.child : answer.cr).to_string() + ": " + answer.field +
                     "\n" + live_line(answer) + record_line(answer) + template_lines(answer) +
                     use_lines(answer) + since_line(answer);
  for (const std::string& gap : answer.gaps) {
    text += "  unknown: " + gap + "\n";
  }
  return text + "→ " + advice_for(answer) + "\n";
}

Value to_value(const FieldAnswer& answer) {
  Value live = Value::dict({{"managers", list_value(answer.writers, writer_value)}});
  set_if(live, "value", answer.live);
  Value recorded = Value::dict({{"revision", Value::integer(answer.revision)}});
  set_if(recorded, "value", answer.recorded);
  Value item = value_of(answer.cr);
  value::Dict& members = item.mutable_dict();
  members.set("object", value_of(answer.child ? *answer.child : answer.cr));
  members.set("field", string_value(answer.field));
  members.set("secret", Value::boolean(answer.is_secret));
  members.set("state", Value::string(to_string(answer.state)));
  members.set("live", std::move(live));
  members.set("record", std::move(recorded));
  members.set("template", Value::dict({{"places", value::list_of(answer.places)},
                                       {"values", list_value(answer.values, read_value)}}));
  members.set("uses", list_value(answer.uses, use_value));
  members.set("moreUses", Value::integer(static_cast<int64_t>(answer.more_uses)));
  if (answer.since) {
    members.set("since", Value::dict({{"revision", Value::integer(answer.since->revision)},
                                      {"updated", string_value(answer.since->updated)},
                                      {"description", string_value(answer.since->description)},
                                      {"by", string_value(answer.since->by)},
                                      {"certain", Value::boolean(answer.since->is_certain)}}));
  }
  members.set("gaps", value::list_of(answer.gaps));
  members.set("advice", string_value(advice_for(answer)));
  return item;
}

}  // namespace chartwright::origin
