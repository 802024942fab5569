// SPDX-License-Identifier: Apache-2.0
#include "helm/schema/error.h"

#include "base/strings.h"
#include "go/format.h"

namespace chartwright::helm {

using value::Value;

namespace {

void render(const SchemaFault& fault, int indent, std::string& out) {
  const bool hidden = fault.form == SchemaFault::Form::kReference && fault.causes.size() == 1;
  if (!hidden) {
    if (!out.empty()) {
      out += '\n';
    }
    out.append(static_cast<size_t>(indent) * 2, ' ');
    out += "- at " + single_quoted(fault.location) + ": " + fault.text;
    ++indent;
  }
  for (const SchemaFault& cause : fault.causes) {
    render(cause, indent, out);
  }
}

}  // namespace

std::string render_faults(const std::vector<SchemaFault>& faults) {
  std::string out;
  for (const SchemaFault& fault : faults) {
    render(fault, 0, out);
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> with_near_names(
    const std::vector<std::string>& names,
    const std::map<std::string, const SchemaNode*, std::less<>>& properties) {
  std::vector<std::string_view> known;
  known.reserve(properties.size());
  for (const auto& [name, node] : properties) {
    known.emplace_back(name);
  }
  std::vector<std::pair<std::string, std::string>> found;
  found.reserve(names.size());
  for (const std::string& name : names) {
    found.emplace_back(name, base::nearest(name, known));
  }
  return found;
}

std::string quoted_names(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  quoted.reserve(names.size());
  for (const std::string& name : names) {
    quoted.push_back(single_quoted(name));
  }
  return base::join(quoted, ", ");
}

std::string fault_value(const Value& v) {
  if (v.is_string()) {
    return single_quoted(v.as_string());
  }
  return v.is_list() || v.is_dict() ? "value" : go::format_value(v);
}

std::string limit_fault(std::string_view keyword, int64_t got, int64_t want) {
  return std::string(keyword) + ": got " + localized_integer(got) + ", want " +
         localized_integer(want);
}

std::string limit_fault(std::string_view keyword, const Value& got, const Value& want) {
  return std::string(keyword) + ": got " + localized_number(got) + ", want " +
         localized_number(want);
}

std::string index_list(const std::vector<size_t>& indexes) {
  std::vector<std::string> texts;
  texts.reserve(indexes.size());
  for (const size_t i : indexes) {
    texts.push_back(std::to_string(i));
  }
  return base::join(texts, " ");
}

}  // namespace chartwright::helm
