// SPDX-License-Identifier: Apache-2.0
#include "bundle/override_expansion.h"

#include <algorithm>
#include <memory>
#include <span>

#include "base/ascii.h"
#include "helm/funcs/registry.h"
#include "helm/render/functions.h"
#include "host/host.h"
#include "tmpl/template.h"

namespace chartwright::bundle {
namespace {

using value::Value;

/// A variable's name after '$', and how many bytes to skip. An empty name means that there is no
/// variable (width 0) or that the syntax is invalid and is dropped.
struct VariableName {
  std::string_view name;
  size_t width;
};

VariableName variable_name(std::string_view text) {
  // In Go, as in shells, each of these is a name of one character.
  constexpr std::string_view kSpecial = "*#$@!?-0123456789";
  if (text.front() == '{') {
    const size_t end = text.find('}');
    return end == std::string_view::npos ? VariableName{"", 1}
                                         : VariableName{text.substr(1, end - 1), end + 1};
  }
  if (kSpecial.find(text.front()) != std::string_view::npos) {
    return {text.substr(0, 1), 1};
  }
  const auto* end = std::find_if_not(text.begin(), text.end(), base::is_ascii_word<char>);
  const auto width = static_cast<size_t>(end - text.begin());
  return {text.substr(0, width), width};
}

/// Returns a template function that maps one string to another.
tmpl::Function text_function(std::string name, std::function<std::string(const std::string&)> map) {
  return {std::move(name),
          {tmpl::Param::kString},
          false,
          [map = std::move(map)](tmpl::CallContext& call,
                                 std::span<const Value> arguments) -> base::Result<Value> {
            std::string text = map(arguments[0].as_string());
            CW_TRY_VOID(call.budget.charge_work(text.size()));
            return Value::string(std::move(text));
          }};
}

/// Returns the functions of an override. Sprig's replace those of the same name that Helm changes:
/// helm-operator has Sprig's `fromJson`, `toJson` and `fail`.
std::shared_ptr<const tmpl::FunctionMap> override_functions(const Environment& environment) {
  auto functions = std::make_shared<tmpl::FunctionMap>(*helm::helm_functions());
  helm::funcs::register_sprig(*functions);
  functions->add(text_function(
      "env", [&environment](const std::string& name) { return environment(name).value_or(""); }));
  functions->add(text_function("expandenv", [&environment](const std::string& text) {
    return expand_environment(text, environment);
  }));
  return functions;
}

}  // namespace

std::string expand_environment(std::string_view text, const Environment& environment) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const VariableName variable = variable_name(text.substr(i + 1));
    if (variable.width == 0) {
      out += '$';
    } else if (!variable.name.empty()) {
      out += environment(std::string(variable.name)).value_or("");
    }
    i += variable.width;
  }
  return out;
}

base::Result<std::string> expand_override(const std::pair<std::string, std::string>& entry,
                                          const ExpansionHost& host) {
  const auto& [path, text] = entry;
  tmpl::Template set(override_functions(host.environment));
  CW_TRY_VOID(set.parse(path, expand_environment(text, host.environment)));
  host::SystemHost system(host.clock);
  base::Budget budget(base::BudgetLimits{}, host.clock);
  tmpl::WrittenDicts written;
  helm::funcs::Caches caches;
  helm::RenderState state(caches);
  std::string out;
  CW_TRY_VOID(set.execute(
      path, Value::nil(),
      {.budget = budget, .written = written, .host = system, .extension = &state}, out));
  return out;
}

}  // namespace chartwright::bundle
