// SPDX-License-Identifier: Apache-2.0
#include "helm/render/functions.h"

#include <array>

#include "base/strings.h"
#include "go/quote.h"
#include "helm/chart/files.h"
#include "helm/chart/go_decode.h"
#include "helm/funcs/bind.h"
#include "helm/funcs/go_value.h"
#include "helm/funcs/registry.h"
#include "helm/render/capabilities.h"
#include "helm/render/durations.h"
#include "helm/render/pretty_yaml.h"
#include "helm/toml/toml.h"
#include "helm/values/values_methods.h"
#include "tmpl/execution.h"
#include "tmpl/template.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::helm {
namespace {

using base::Result;
using tmpl::CallContext;
using value::Value;

constexpr int kIncludeNestingMax = 1000;

base::Error user_error(std::string_view message) {
  return funcs::failure(std::string(kUserErrorStart) + std::string(message) +
                        std::string(kUserErrorEnd));
}

RenderState& state_of(const CallContext& ctx) { return static_cast<RenderState&>(*ctx.extension); }

Result<Value> include(CallContext& ctx, std::string_view name, const Value& data) {
  int& nesting = state_of(ctx).nesting(std::string(name));
  if (nesting > kIncludeNestingMax) {
    return funcs::failure("rendering template has a nested reference name: " + std::string(name) +
                          ": unable to execute template");
  }
  ++nesting;
  CW_TRY(std::string text, ctx.execution.run(name, data));  // An error ends the render.
  --nesting;
  return Value::string(std::move(text));
}

// Parsing a byte of a template costs as much as examining this many bytes.
constexpr size_t kTemplateParseWork = 16;

/// Evaluates text in a copy of the namespace, so that its definitions are visible only to itself.
Result<Value> tpl(CallContext& ctx, std::string_view text, const Value& data) {
  CW_TRY_VOID(ctx.budget.charge_work(kTemplateParseWork * text.size()));
  CW_TRY_VOID(ctx.budget.enter());
  tmpl::Template scope = ctx.execution.templates();
  std::string out;
  base::Status status;
  auto tree = scope.parse_tree(kRootTemplateName, std::string(text));
  if (!tree.ok()) {
    status = std::move(tree).error().wrap("cannot parse template " + go::quote(text));
  } else if (status = scope.execute(**tree, data, ctx.execution.options(), out); !status.ok()) {
    status = std::move(status).error().wrap("error during tpl function execution for " +
                                            go::quote(text));
  }
  ctx.budget.leave();
  CW_TRY_VOID(std::move(status));
  return Value::string(without_no_value(out));
}

/// Fails with the author's message, or records it while a chart is linted.
Result<Value> complain(const CallContext& ctx, std::string_view message, LogMessage as_logged) {
  as_logged.text += message;
  as_logged.record->attributes = {{"message", std::string(message)}};
  if (!state_of(ctx).tolerates(as_logged)) {
    return user_error(message);
  }
  return Value::string("");
}

Result<Value> required(CallContext& ctx, std::string_view message, const Value& v) {
  const bool missing = v.is_nothing() || (v.is_string() && v.as_string().empty());
  if (missing && !state_of(ctx).may_skip(message)) {
    const bool is_empty = v.is_string();
    const int line = is_empty ? 214 : 206;
    return complain(
        ctx, message,
        {{"engine.go", line, line},
         "[INFO] Missing required value: ",
         {{"WARN", is_empty ? "missing required values" : "missing required value", {}}}});
  }
  return v;
}

Result<Value> fail(CallContext& ctx, std::string_view message) {
  return complain(ctx, message,
                  {{"engine.go", 227, 227}, "[INFO] Fail: ", {{"INFO", "funcMap fail", {}}}});
}

/// Charges for the contents of a decoded value. The decoder limits the depth of the recursion.
base::Status charge_value(base::Budget& budget, const Value& v) {
  if (v.is_string()) {
    return budget.charge_work(v.as_string().size());
  }
  if (v.is_list()) {
    CW_TRY_VOID(budget.charge_work(v.as_list().items.size() * sizeof(Value)));
    for (const Value& item : v.as_list().items) {
      CW_TRY_VOID(charge_value(budget, item));
    }
  } else if (v.is_dict()) {
    for (const auto& [key, member] : v.as_dict()) {
      CW_TRY_VOID(budget.charge_work(sizeof(value::Dict::Entry) + key.size()));
      CW_TRY_VOID(charge_value(budget, member));
    }
  }
  return {};
}

Result<Value> lookup(CallContext& ctx, std::string_view api_version, std::string_view kind,
                     std::string_view namespace_name, std::string_view name) {
  ClusterReader* cluster = state_of(ctx).cluster();
  if (cluster == nullptr) {
    return Value::dict();
  }
  const LookupKey key{api_version, kind, namespace_name, name};
  const base::MonotonicTime began = ctx.budget.now();
  auto found = name.empty() ? cluster->list(key) : cluster->get(key);
  const bool answered = found.ok() || found.error().code() == base::ErrorCode::kNotFound;
  if (!answered) {
    return found;  // A retry depends on the class of this error, not on the time it took.
  }
  CW_TRY_VOID(ctx.budget.charge_wait(began));
  if (!found.ok()) {
    return Value::dict();
  }
  CW_TRY_VOID(charge_value(ctx.budget, *found));
  return found;
}

/// Replaces errors by "", as Helm does inside a template, except for panics and strings that are
/// too long.
Result<std::string> or_nothing(Result<std::string> encoded) {
  const bool swallowed = !encoded.ok() && encoded.error().code() != base::ErrorCode::kBudget &&
                         encoded.error().code() != base::ErrorCode::kTemplate;
  if (swallowed) {
    return std::string();
  }
  return encoded;
}

Result<std::string> without_last_break(Result<std::string> text) {
  if (text.ok() && text->ends_with('\n')) {
    text->pop_back();
  }
  return text;
}

/// Charges for a YAML string and returns it without its last newline, as these functions do.
Result<std::string> written(CallContext& ctx, Result<std::string> text) {
  if (text.ok()) {
    CW_TRY_VOID(ctx.budget.charge_work(yaml::kEncodeWork * text->size()));
  }
  return without_last_break(std::move(text));
}

Result<std::string> to_yaml(CallContext& ctx, const Value& v) {
  return written(ctx, or_nothing(yaml::to_yaml(v)));
}

Result<std::string> to_yaml_pretty(CallContext& ctx, const Value& v) {
  return written(ctx, or_nothing(pretty_yaml(v)));
}

Value error_dict(const base::Error& error) {
  return Value::dict({{"Error", Value::string(error.message())}});
}

Value error_list(const base::Error& error) { return Value::list({Value::string(error.message())}); }

/// Encodes YAML for a must function, which returns all errors, including panics.
Result<std::string> must_to_yaml(CallContext& ctx, const Value& v) {
  return written(ctx, yaml::to_yaml(v));
}

template <TomlRule kRule>
Result<std::string> must_to_toml(const Value& v) {
  if (v.is_nothing()) {
    return funcs::failure("reflect: call of reflect.Value.Type on zero Value");
  }
  return to_toml(v, kRule);
}

template <TomlRule kRule>
Result<std::string> toml(const Value& v) {
  auto text = must_to_toml<kRule>(v);
  const bool refused = !text.ok() && text.error().code() == base::ErrorCode::kInvalidArgument;
  return refused ? text.error().message() : std::move(text);
}

Result<std::string> must_to_json(const Value& v) { return value::to_json(v); }

template <TomlRule kRule>
Result<Value> from_toml_text(CallContext& ctx, std::string_view text) {
  auto v = from_toml(text, {ctx.budget, ctx.host.now(), kRule});
  const bool refused = !v.ok() && v.error().code() == base::ErrorCode::kParse;
  return refused ? error_dict(v.error()) : std::move(v);
}

Result<std::string> to_json(const Value& v) { return or_nothing(value::to_json(v)); }

// Decoding a byte of YAML costs as much as examining this many bytes: its grammar is larger than
// JSON's.
constexpr size_t kYamlDecodeWork = 16;

// Charges for a text and decodes it, then charges for the values, of which aliases can make more
// than the text contains. A decoding error becomes a value, as in Helm.
template <size_t kWork>
Result<Value> decoded(CallContext& ctx, std::string_view text,
                      Result<Value> (*decode)(std::string_view),
                      Value (*instead)(const base::Error&)) {
  CW_TRY_VOID(ctx.budget.charge_work(kWork * text.size()));
  auto v = decode(text);
  if (!v.ok()) {
    return instead(v.error());
  }
  CW_TRY_VOID(charge_value(ctx.budget, *v));
  return v;
}

Result<Value> from_yaml(CallContext& ctx, std::string_view text) {
  return decoded<kYamlDecodeWork>(ctx, text, decode_yaml_dict, error_dict);
}

Result<Value> from_yaml_array(CallContext& ctx, std::string_view text) {
  return decoded<kYamlDecodeWork>(ctx, text, decode_yaml_list, error_list);
}

Result<Value> from_json(CallContext& ctx, std::string_view text) {
  return decoded<funcs::kJsonDecodeWork>(ctx, text, decode_json_dict, error_dict);
}

Result<Value> from_json_array(CallContext& ctx, std::string_view text) {
  return decoded<funcs::kJsonDecodeWork>(ctx, text, decode_json_list, error_list);
}

template <TomlRule kRule>
void add_toml(funcs::Table& table) {
  table.add("toToml", toml<kRule>);
  table.add("fromToml", from_toml_text<kRule>).deviates("more than 1000 levels are refused");
}

void add_helm_4(funcs::Table& table) {
  table.add("mustToYaml", must_to_yaml)
      .add("mustToToml", must_to_toml<TomlRule::k1_6>)
      .add("mustToJson", must_to_json);
  add_durations(table);
}

std::shared_ptr<const tmpl::FunctionMap> build(const Profile& profile) {
  auto map = std::make_shared<tmpl::FunctionMap>();
  funcs::register_sprig(*map, profile.semver);
  for (funcs::Entry& entry : helm_registry(profile)) {
    map->add(std::move(entry.function));
  }
  add_file_methods(*map, profile.empty_lines);
  add_capability_methods(*map, profile);
  add_values_methods(*map, profile);
  return map;
}

/// Returns the functions of one of the versions. Most processes use only one, so each map is built
/// on first use.
template <size_t kIndex>
std::shared_ptr<const tmpl::FunctionMap> functions_of() {
  static const std::shared_ptr<const tmpl::FunctionMap> map = build(all_profiles()[kIndex]);
  return map;
}

}  // namespace

std::string without_no_value(std::string_view text) {
  constexpr std::string_view kNoValue = "<no value>";
  return text.find(kNoValue) == std::string_view::npos ? std::string(text)
                                                       : base::replace_all(text, kNoValue, "");
}

std::vector<funcs::Entry> helm_registry(const Profile& profile) {
  funcs::Table own;
  own.add("include", include)
      .add("tpl", tpl)
      .add("required", required)
      .add("fail", fail)
      .add("lookup", lookup)
      .add("toYaml", to_yaml)
      .add("toYamlPretty", to_yaml_pretty)
      .add("fromYaml", from_yaml)
      .add("fromYamlArray", from_yaml_array)
      .add("toJson", to_json)
      .add("fromJson", from_json)
      .add("fromJsonArray", from_json_array);
  if (profile.toml == TomlRule::k1_5) {
    add_toml<TomlRule::k1_5>(own);
  } else {
    add_toml<TomlRule::k1_6>(own);
  }
  if (profile.functions == FunctionRule::kHelm4) {
    add_helm_4(own);
  }
  return std::move(own.entries());
}

std::shared_ptr<const tmpl::FunctionMap> helm_functions(const Profile& profile) {
  constexpr std::array kOfVersions = {functions_of<0>, functions_of<1>, functions_of<2>,
                                      functions_of<3>};
  return kOfVersions.at(static_cast<size_t>(&profile - all_profiles().data()))();
}

}  // namespace chartwright::helm
