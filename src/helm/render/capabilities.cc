// SPDX-License-Identifier: Apache-2.0
#include "helm/render/capabilities.h"

#include <algorithm>
#include <charconv>
#include <memory>

#include "base/ascii.h"
#include "base/strings.h"
#include "go/format.h"
#include "go/quote.h"
#include "helm/funcs/bind.h"
#include "helm/funcs/struct_value.h"
#include "helm/version/semver.h"

namespace chartwright::helm {
namespace {

using value::Value;

/// Returns a type of the package that contains the capabilities: "chartutil.KubeVersion".
std::string type_name(const Profile& profile, std::string_view type) {
  return std::string(profile.package) + "." + std::string(type);
}

/// KubeVersion. Its methods have a pointer receiver: they can be called on a field of a struct that
/// is reached through a pointer, but not on a copy in an interface{}.
class KubeVersionValue final : public funcs::StructValue {
 public:
  enum class Place : uint8_t { kField, kInterface };
  KubeVersionValue(const Profile& profile, const KubeVersion& v, Place place = Place::kField)
      : funcs::StructValue(
            type_name(profile, "KubeVersion"), Form::kStruct,
            {{"Version", "Version", Value::string(v.version), funcs::JsonEmpty::kWrite},
             {"Major", "Major", Value::string(v.major), funcs::JsonEmpty::kWrite},
             {"Minor", "Minor", Value::string(v.minor), funcs::JsonEmpty::kWrite}}),
        profile_(profile),
        version_(v),
        has_normalized_(profile.kube_version == KubeVersionRule::kWhole),
        place_(place) {}

  /// The String method prints the version that constraints see.
  std::string to_string() const override {
    return place_ == Place::kField ? version_.effective() : to_plain_string();
  }
  std::string_view method_owner() const override {
    return place_ == Place::kField ? go_type() : std::string_view();
  }
  size_t go_index(size_t i) const override { return has_normalized_ && i > 0 ? i + 1 : i; }
  std::shared_ptr<const Native> boxed() const override {
    return place_ == Place::kField
               ? std::make_shared<const KubeVersionValue>(profile_, version_, Place::kInterface)
               : nullptr;
  }
  std::shared_ptr<const Native> deep_copied() const override {
    KubeVersion exported = version_;
    exported.normalized.clear();
    return std::make_shared<const KubeVersionValue>(profile_, exported, Place::kInterface);
  }
  /// Helm 4 keeps the version for constraints in an unexported field.
  std::vector<Member> members() const override {
    std::vector<Member> all = funcs::StructValue::members();
    if (has_normalized_) {
      all.insert(all.begin() + 1, {"normalizedVersion", Value::string(version_.normalized)});
    }
    return all;
  }
  std::string to_plain_string() const override {
    const std::string normalized = has_normalized_ ? version_.normalized + " " : "";
    return "{" + version_.version + " " + normalized + version_.major + " " + version_.minor + "}";
  }

 private:
  const Profile& profile_;
  KubeVersion version_;
  bool has_normalized_;
  Place place_;
};

/// VersionSet, a list of strings with a Has method.
class VersionSetValue final : public value::Native {
 public:
  VersionSetValue(const Profile& profile, Value versions)
      : type_(type_name(profile, "VersionSet")), list_(std::move(versions)) {}

  std::string_view go_type() const override { return type_; }
  std::string_view go_kind() const override { return "slice"; }
  bool truth() const override { return !list_.as_list().items.empty(); }
  const Value* underlying() const override { return &list_; }
  std::optional<Value> field(std::string_view /*name*/) const override { return std::nullopt; }
  std::string to_string() const override { return go::format_value(list_); }
  base::Result<Value> to_json_value() const override { return list_; }

 private:
  std::string type_;
  Value list_;
};

std::string version_text(const Value& kube_version) { return kube_version.as_native().to_string(); }

std::string whole_version(const Value& kube_version) {
  return kube_version.as_native().field("Version")->as_string();
}

base::Result<bool> has_version(tmpl::CallContext& ctx, const Value& versions,
                               std::string_view wanted) {
  const auto& items = versions.as_native().underlying()->as_list().items;
  CW_TRY_VOID(ctx.budget.charge_work(items.size() * sizeof(Value)));
  return std::any_of(items.begin(), items.end(),
                     [wanted](const Value& item) { return item.as_string() == wanted; });
}

Value native(std::shared_ptr<const value::Native> v) { return Value::native(std::move(v)); }

base::Error bad_version(std::string message) {
  return base::Error(base::ErrorCode::kInvalidArgument, std::move(message));
}

base::Result<std::string> without_leading_zeros(const std::string& component,
                                                std::string_view whole) {
  uint64_t number = 0;
  const char* end = component.data() + component.size();
  if (std::from_chars(component.data(), end, number).ec != std::errc()) {
    return bad_version("illegal non-numeric version component " + go::quote(component) + " in " +
                       go::quote(whole) + ": strconv.ParseUint: parsing " + go::quote(component) +
                       ": value out of range");
  }
  return std::to_string(number);
}

/// Source: k8s.io/apimachinery pkg/util/version ParseGeneric.
base::Result<KubeVersion> parse_numbers(std::string_view text) {
  std::string_view rest = text.substr(std::min(text.size(), text.find_first_not_of(" \t\n\f\r")));
  if (!rest.empty() && rest.front() == 'v') {
    rest.remove_prefix(1);
  }
  // Reads the numbers at the start. The rest of the line is ignored.
  std::vector<std::string> components;
  while (!rest.empty() && base::is_ascii_digit(rest.front())) {
    const size_t end = std::min(rest.size(), rest.find_first_not_of("0123456789"));
    components.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
    if (rest.size() < 2 || rest[0] != '.' || !base::is_ascii_digit(rest[1])) {
      break;
    }
    rest.remove_prefix(1);
  }
  if (components.empty() || rest.find('\n') != std::string_view::npos) {
    return bad_version("could not parse " + go::quote(text) + " as version");
  }
  if (components.size() < 2) {
    return bad_version("illegal version string " + go::quote(text));
  }
  if (components[0].size() > 1 && components[0].front() == '0') {
    return bad_version("illegal zero-prefixed version component " + go::quote(components[0]) +
                       " in " + go::quote(text));
  }
  for (std::string& component : components) {
    CW_TRY(component, without_leading_zeros(component, text));
  }
  return KubeVersion{"v" + base::join(components, "."), components[0], components[1], ""};
}

}  // namespace

Value Capabilities::api_version_list(const std::vector<std::string>& versions) {
  std::vector<Value> items;
  items.reserve(versions.size());
  for (const std::string& version : versions) {
    items.push_back(Value::string(version));
  }
  return Value::list(std::move(items), value::kStringList);
}

Capabilities Capabilities::offline(const Profile& profile) {
  Capabilities capabilities;
  capabilities.kube_version = {.version = "v1." + std::to_string(profile.kube_minor) + ".0",
                               .major = "1",
                               .minor = std::to_string(profile.kube_minor),
                               .normalized = ""};
  if (profile.kube_version == KubeVersionRule::kWhole) {
    capabilities.kube_version.normalized = capabilities.kube_version.version;
  }
  capabilities.api_versions =
      api_version_list({profile.api_versions.begin(), profile.api_versions.end()});
  return capabilities;
}

base::Result<KubeVersion> parse_kube_version(std::string_view text, const Profile& profile) {
  if (profile.kube_version == KubeVersionRule::kSemver) {
    CW_TRY(const Version version, Version::parse(text, profile.semver));
    return KubeVersion{"v" + version.to_string(), std::to_string(version.major),
                       std::to_string(version.minor), ""};
  }
  CW_TRY(KubeVersion version, parse_numbers(text));
  if (profile.kube_version == KubeVersionRule::kWhole) {
    version.normalized = version.version;
    version.version = (text.starts_with('v') ? "" : "v") + std::string(text);
  }
  return version;
}

Value make_capabilities_value(const Capabilities& capabilities, const Profile& profile) {
  std::vector<funcs::StructField> helm_version = {
      {"Version", "version", Value::string(profile.helm_version)},
      {"GitCommit", "git_commit", Value::string("")},
      {"GitTreeState", "git_tree_state", Value::string("clean")},
      {"GoVersion", "go_version", Value::string(profile.go_version)}};
  if (profile.functions == FunctionRule::kHelm4) {
    helm_version.push_back({"KubeClientVersion", "kube_client_version",
                            Value::string("v1." + std::to_string(profile.kube_minor)),
                            funcs::JsonEmpty::kWrite});
  }
  return native(std::make_shared<const funcs::StructValue>(
      type_name(profile, "Capabilities"), funcs::StructValue::Form::kPointer,
      std::vector<funcs::StructField>{
          {"KubeVersion", "KubeVersion",
           native(std::make_shared<const KubeVersionValue>(profile, capabilities.kube_version)),
           funcs::JsonEmpty::kWrite},
          {"APIVersions", "APIVersions",
           native(std::make_shared<const VersionSetValue>(profile, capabilities.api_versions)),
           funcs::JsonEmpty::kWrite},
          {"HelmVersion", "HelmVersion",
           native(std::make_shared<const funcs::StructValue>(
               "version.BuildInfo", funcs::StructValue::Form::kStruct, std::move(helm_version))),
           funcs::JsonEmpty::kWrite}}));
}

void add_capability_methods(tmpl::FunctionMap& functions, const Profile& profile) {
  funcs::Table kube_version;
  kube_version.add("String", version_text).add("GitVersion", whole_version);
  funcs::add_methods(functions, type_name(profile, "KubeVersion"), kube_version);
  funcs::Table version_set;
  version_set.add("Has", has_version);
  funcs::add_methods(functions, type_name(profile, "VersionSet"), version_set);
}

}  // namespace chartwright::helm
