// SPDX-License-Identifier: Apache-2.0
#include "helm/chart/metadata.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/ascii.h"
#include "base/unicode.h"
#include "go/path.h"
#include "go/quote.h"
#include "go/time.h"
#include "helm/chart/go_struct.h"
#include "helm/version/semver.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::helm {
namespace {

using Decoder = StructDecoder;
using value::Value;

Decoder::Field text(std::string_view name, std::string& into) {
  return {name, [&into](Decoder& d, const Value& v) { d.string(v, into); }};
}

Decoder::Field texts(std::string_view name, std::vector<std::string>& into) {
  return {name, [&into](Decoder& d, const Value& v) { d.string_list(v, into); }};
}

Decoder::Field flag(std::string_view name, bool& into) {
  return {name, [&into](Decoder& d, const Value& v) { d.boolean(v, into); }};
}

/// Returns a type of the package of the metadata, after `prefix`: "[]*chart.Maintainer".
std::string type_name(const Profile& profile, std::string_view type, std::string_view prefix = "") {
  return std::string(prefix) + std::string(profile.chart_package) + "." + std::string(type);
}

void read_maintainer(Decoder& decoder, const Value& v, const Profile& profile, Maintainer& into) {
  into.is_null = v.is_nil();
  const std::array fields = {text("name", into.name), text("email", into.email),
                             text("url", into.url)};
  decoder.object(v, {"Maintainer", type_name(profile, "Maintainer")}, fields);
}

void read_dependency(Decoder& decoder, const Value& v, const Profile& profile, Dependency& into) {
  into.is_null = v.is_nil();
  const std::array fields = {
      text("name", into.name),
      text("version", into.version),
      text("repository", into.repository),
      text("condition", into.condition),
      texts("tags", into.tags),
      flag("enabled", into.enabled),
      Decoder::Field{"import-values",
                     [&into](Decoder& d, const Value& list) {
                       d.list(list, "[]interface {}", [](Decoder&, const Value&) {});
                       into.import_values = list.is_list() ? list : Value();
                     }},
      text("alias", into.alias),
  };
  decoder.object(v, {"Dependency", type_name(profile, "Dependency")}, fields);
}

/// A type of struct: its name in Go, and how to read one.
template <typename T>
struct StructType {
  std::string_view go_name;
  void (*read)(Decoder&, const Value&, const Profile&, T&);
};

constexpr StructType<Maintainer> kMaintainer = {"Maintainer", read_maintainer};
constexpr StructType<Dependency> kDependency = {"Dependency", read_dependency};

/// Reads a list of structs, replacing the present list.
template <typename T>
void read_list(Decoder& decoder, const Value& v, const StructType<T>& type, const Profile& profile,
               std::vector<T>& into) {
  if (v.is_list()) {
    into.clear();
  }
  decoder.list(v, type_name(profile, type.go_name, "[]*"), [&](Decoder& d, const Value& item) {
    into.emplace_back();
    type.read(d, item, profile, into.back());
  });
}

constexpr std::string_view kRfc3339 = "2006-01-02T15:04:05Z07:00";
constexpr std::string_view kRfc3339Nano = "2006-01-02T15:04:05.999999999Z07:00";

/// Decodes a time.Time. Source: Go time.Time.UnmarshalJSON, which reads the text as JSON has it.
base::Result<go::Time> read_time(const Value& v) {
  const std::string where = "error unmarshaling JSON: while decoding JSON: ";
  if (v.is_nil()) {
    return go::Time{};
  }
  if (!v.is_string()) {
    return base::Error(base::ErrorCode::kParse,
                       where + "Time.UnmarshalJSON: input is not a JSON string");
  }
  CW_TRY(const std::string json, value::to_json(v, value::JsonEscape::kHtml));
  auto time = go::parse_time_in(kRfc3339, std::string_view(json).substr(1, json.size() - 2),
                                go::TimeZone::utc());
  if (!time.ok()) {
    return base::Error(base::ErrorCode::kParse, where + time.error().message());
  }
  return time;
}

base::Error invalid_metadata(std::string message) {
  return base::Error(base::ErrorCode::kInvalidArgument, "validation: " + std::move(message));
}

/// Replaces white space by spaces and removes characters that are not printable.
void sanitize(std::string& s) {
  std::string out;
  out.reserve(s.size());
  for (std::string_view rest = s; !rest.empty();) {
    const base::DecodedRune decoded = base::decode_rune(rest);
    rest.remove_prefix(decoded.size);
    if (base::is_space(decoded.rune)) {
      out += ' ';
    } else if (base::is_print(decoded.rune)) {
      base::append_rune(out, decoded.rune);
    }
  }
  s = std::move(out);
}

void sanitize_all(Metadata& metadata) {
  for (std::string* s :
       {&metadata.name, &metadata.description, &metadata.home, &metadata.icon, &metadata.condition,
        &metadata.tags, &metadata.app_version, &metadata.kube_version}) {
    sanitize(*s);
  }
  for (std::string& s : metadata.sources) {
    sanitize(s);
  }
  for (std::string& s : metadata.keywords) {
    sanitize(s);
  }
}

base::Status check_identity(const Metadata& metadata, const Profile& profile) {
  if (metadata.api_version.empty()) {
    return invalid_metadata("chart.metadata.apiVersion is required");
  }
  if (metadata.name.empty()) {
    return invalid_metadata("chart.metadata.name is required");
  }
  if (profile.dot_names == DotNameRule::kRefused &&
      (metadata.name == "." || metadata.name == "..")) {
    return invalid_metadata("chart.metadata.name " + go::quote(metadata.name) + " is not allowed");
  }
  if (metadata.name != go::base_name(metadata.name)) {
    return invalid_metadata("chart.metadata.name " + go::quote(metadata.name) + " is invalid");
  }
  if (metadata.version.empty()) {
    return invalid_metadata("chart.metadata.version is required");
  }
  if (!Version::parse(metadata.version, profile.semver).ok()) {
    return invalid_metadata("chart.metadata.version " + go::quote(metadata.version) +
                            " is invalid");
  }
  if (!metadata.type.empty() && metadata.type != "application" && metadata.type != "library") {
    return invalid_metadata("chart.metadata.type must be application or library");
  }
  return {};
}

bool is_alias(std::string_view s) {
  return std::all_of(s.begin(), s.end(),
                     [](char c) { return base::is_ascii_alphanumeric(c) || c == '_' || c == '-'; });
}

base::Status check_dependencies(std::vector<Dependency>& dependencies) {
  std::set<std::string> keys;
  for (Dependency& dependency : dependencies) {
    if (dependency.is_null) {
      return invalid_metadata("dependencies must not contain empty or null nodes");
    }
    for (std::string* s :
         {&dependency.name, &dependency.version, &dependency.repository, &dependency.condition}) {
      sanitize(*s);
    }
    for (std::string& tag : dependency.tags) {
      sanitize(tag);
    }
    if (!is_alias(dependency.alias)) {
      return invalid_metadata("dependency " + go::quote(dependency.name) +
                              " has disallowed characters in the alias");
    }
    const std::string& key = dependency.alias.empty() ? dependency.name : dependency.alias;
    if (!keys.insert(key).second) {
      return invalid_metadata("more than one dependency with name or alias " + go::quote(key));
    }
  }
  return {};
}

}  // namespace

base::Status read_metadata(std::string_view yaml, Metadata& into, const Profile& profile) {
  CW_TRY(const Value v, yaml::parse_yaml(yaml, value::Numbers::kInt64));
  const std::array fields = {
      text("name", into.name),
      text("home", into.home),
      texts("sources", into.sources),
      text("version", into.version),
      text("description", into.description),
      texts("keywords", into.keywords),
      Decoder::Field{"maintainers",
                     [&](Decoder& d, const Value& list) {
                       read_list(d, list, kMaintainer, profile, into.maintainers);
                     }},
      text("icon", into.icon),
      text("apiVersion", into.api_version),
      text("condition", into.condition),
      text("tags", into.tags),
      text("appVersion", into.app_version),
      flag("deprecated", into.deprecated),
      Decoder::Field{
          "annotations",
          [&into](Decoder& d, const Value& map) { d.string_map(map, into.annotations); }},
      text("kubeVersion", into.kube_version),
      Decoder::Field{"dependencies",
                     [&](Decoder& d, const Value& list) {
                       into.has_dependencies = list.is_list();
                       if (!list.is_list()) {
                         into.dependencies.clear();
                       }
                       read_list(d, list, kDependency, profile, into.dependencies);
                     }},
      text("type", into.type),
  };
  Decoder decoder;
  decoder.object(v, {"Metadata", type_name(profile, "Metadata")}, fields);
  return decoder.status();
}

base::Result<std::string> read_api_version(std::string_view yaml) {
  CW_TRY(const Value v, yaml::parse_yaml(yaml, value::Numbers::kInt64));
  std::string api_version;
  const std::array fields = {text("apiVersion", api_version)};
  Decoder decoder;
  decoder.object(v, {"chartBase", "loader.chartBase"}, fields);
  CW_TRY_VOID(decoder.status());
  return api_version;
}

base::Result<Value> read_lock(std::string_view yaml, const Profile& profile) {
  CW_TRY(const Value v, yaml::parse_yaml(yaml, value::Numbers::kInt64));
  base::Result<go::Time> generated = go::Time{};
  std::string digest;
  std::vector<Dependency> dependencies;
  bool has_dependencies = false;
  const std::array fields = {
      Decoder::Field{"generated",
                     [&generated](Decoder&, const Value& time) { generated = read_time(time); }},
      text("digest", digest),
      Decoder::Field{"dependencies",
                     [&](Decoder& d, const Value& list) {
                       has_dependencies = list.is_list();
                       read_list(d, list, kDependency, profile, dependencies);
                     }},
  };
  Decoder decoder;
  decoder.object(v, {"Lock", type_name(profile, "Lock")}, fields);
  if (!generated.ok()) {  // Go stops there, and tells no type error that it has seen before.
    return std::move(generated).error();
  }
  CW_TRY_VOID(decoder.status());
  if (v.is_nil()) {
    return Value::nil();
  }
  CW_TRY(Value list, recorded_dependencies(dependencies));
  return Value::dict({{"generated", Value::string(go::format_time(*generated, kRfc3339Nano))},
                      {"digest", Value::string(digest)},
                      {"dependencies", has_dependencies ? std::move(list) : Value::nil()}});
}

base::Status validate_metadata(Metadata& metadata, const Profile& profile) {
  sanitize_all(metadata);
  CW_TRY_VOID(check_identity(metadata, profile));
  for (Maintainer& maintainer : metadata.maintainers) {
    if (maintainer.is_null) {
      return invalid_metadata("maintainers must not contain empty or null nodes");
    }
    sanitize(maintainer.name);
    sanitize(maintainer.email);
    sanitize(maintainer.url);
  }
  return check_dependencies(metadata.dependencies);
}

}  // namespace chartwright::helm
