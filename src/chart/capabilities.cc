// SPDX-License-Identifier: Apache-2.0
#include "chart/capabilities.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

#include "base/strings.h"
#include "chart/methods.h"
#include "chart/struct_value.h"
#include "tmpl/format.h"
#include "tmpl/quote.h"

namespace chartwright::chart {
namespace {

using value::Value;

constexpr std::string_view kKubeVersionType = "chartutil.KubeVersion";
constexpr std::string_view kVersionSetType = "chartutil.VersionSet";

/// The group versions of client-go 0.37's scheme and of apiextensions, in its order.
constexpr std::array kOfflineApiVersions = {
    "v1",
    "admissionregistration.k8s.io/v1",
    "admissionregistration.k8s.io/v1alpha1",
    "admissionregistration.k8s.io/v1beta1",
    "internal.apiserver.k8s.io/v1alpha1",
    "apps/v1",
    "apps/v1beta1",
    "apps/v1beta2",
    "authentication.k8s.io/v1",
    "authentication.k8s.io/v1alpha1",
    "authentication.k8s.io/v1beta1",
    "authorization.k8s.io/v1",
    "authorization.k8s.io/v1beta1",
    "autoscaling/v1",
    "autoscaling/v2",
    "batch/v1",
    "batch/v1beta1",
    "certificates.k8s.io/v1",
    "certificates.k8s.io/v1beta1",
    "certificates.k8s.io/v1alpha1",
    "coordination.k8s.io/v1alpha2",
    "coordination.k8s.io/v1beta1",
    "coordination.k8s.io/v1",
    "discovery.k8s.io/v1",
    "discovery.k8s.io/v1beta1",
    "events.k8s.io/v1",
    "events.k8s.io/v1beta1",
    "extensions/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1",
    "flowcontrol.apiserver.k8s.io/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1beta2",
    "flowcontrol.apiserver.k8s.io/v1beta3",
    "lifecycle.k8s.io/v1alpha1",
    "networking.k8s.io/v1",
    "networking.k8s.io/v1beta1",
    "node.k8s.io/v1",
    "node.k8s.io/v1alpha1",
    "node.k8s.io/v1beta1",
    "policy/v1",
    "policy/v1beta1",
    "rbac.authorization.k8s.io/v1",
    "rbac.authorization.k8s.io/v1beta1",
    "rbac.authorization.k8s.io/v1alpha1",
    "resource.k8s.io/v1",
    "resource.k8s.io/v1beta2",
    "resource.k8s.io/v1beta1",
    "resource.k8s.io/v1alpha3",
    "scheduling.k8s.io/v1alpha3",
    "scheduling.k8s.io/v1beta1",
    "scheduling.k8s.io/v1",
    "storage.k8s.io/v1beta1",
    "storage.k8s.io/v1",
    "storage.k8s.io/v1alpha1",
    "storagemigration.k8s.io/v1",
    "storagemigration.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1",
};

/// chartutil.KubeVersion; its String method prints the version alone.
class KubeVersionValue final : public StructValue {
 public:
  explicit KubeVersionValue(const KubeVersion& v)
      : StructValue(kKubeVersionType, Form::kStruct,
                    {{"Version", "Version", Value::string(v.version), JsonEmpty::kWrite},
                     {"Major", "Major", Value::string(v.major), JsonEmpty::kWrite},
                     {"Minor", "Minor", Value::string(v.minor), JsonEmpty::kWrite}}),
        version_(v.version) {}

  std::string to_string() const override { return version_; }

 private:
  std::string version_;
};

/// chartutil.VersionSet: a list of strings with a Has method.
class VersionSetValue final : public value::Native {
 public:
  explicit VersionSetValue(const std::vector<std::string>& versions) {
    std::vector<Value> items;
    items.reserve(versions.size());
    for (const std::string& version : versions) {
      items.push_back(Value::string(version));
    }
    list_ = Value::list(std::move(items), value::ListType::kString);
  }

  std::string_view go_type() const override { return kVersionSetType; }
  std::string_view go_kind() const override { return "slice"; }
  bool truth() const override { return !list_.as_list().items.empty(); }
  const Value* underlying() const override { return &list_; }
  std::optional<Value> field(std::string_view /*name*/) const override { return std::nullopt; }
  std::string to_string() const override { return tmpl::format_value(list_); }
  Value to_json_value() const override { return list_; }

 private:
  Value list_;
};

std::string version_text(const Value& kube_version) { return kube_version.as_native().to_string(); }

bool has_version(const Value& versions, std::string_view wanted) {
  const auto& items = versions.as_native().underlying()->as_list().items;
  return std::any_of(items.begin(), items.end(),
                     [wanted](const Value& item) { return item.as_string() == wanted; });
}

Value native(std::shared_ptr<const value::Native> v) { return Value::native(std::move(v)); }

base::Error bad_version(std::string message) {
  return base::Error(base::ErrorCode::kInvalidArgument, std::move(message));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

base::Result<std::string> without_leading_zeros(const std::string& component,
                                                std::string_view whole) {
  uint64_t number = 0;
  const char* end = component.data() + component.size();
  if (std::from_chars(component.data(), end, number).ec != std::errc()) {
    return bad_version("illegal non-numeric version component " + tmpl::quote(component) + " in " +
                       tmpl::quote(whole) + ": strconv.ParseUint: parsing " +
                       tmpl::quote(component) + ": value out of range");
  }
  return std::to_string(number);
}

}  // namespace

Capabilities Capabilities::offline() {
  Capabilities capabilities;
  capabilities.api_versions.assign(kOfflineApiVersions.begin(), kOfflineApiVersions.end());
  return capabilities;
}

base::Result<KubeVersion> parse_kube_version(std::string_view text) {
  std::string_view rest = text.substr(std::min(text.size(), text.find_first_not_of(" \t\n\f\r")));
  if (!rest.empty() && rest.front() == 'v') {
    rest.remove_prefix(1);
  }
  // The numbers at the start; whatever follows them on the line is dropped.
  std::vector<std::string> components;
  while (!rest.empty() && is_digit(rest.front())) {
    const size_t end = std::min(rest.size(), rest.find_first_not_of("0123456789"));
    components.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
    if (rest.size() < 2 || rest[0] != '.' || !is_digit(rest[1])) {
      break;
    }
    rest.remove_prefix(1);
  }
  if (components.empty() || rest.find('\n') != std::string_view::npos) {
    return bad_version("could not parse " + tmpl::quote(text) + " as version");
  }
  if (components.size() < 2) {
    return bad_version("illegal version string " + tmpl::quote(text));
  }
  if (components[0].size() > 1 && components[0].front() == '0') {
    return bad_version("illegal zero-prefixed version component " + tmpl::quote(components[0]) +
                       " in " + tmpl::quote(text));
  }
  for (std::string& component : components) {
    CW_TRY(component, without_leading_zeros(component, text));
  }
  return KubeVersion{"v" + base::join(components, "."), components[0], components[1]};
}

Value make_capabilities_value(const Capabilities& capabilities) {
  const auto helm = [](std::string_view name, std::string_view json, std::string_view text) {
    return StructField{name, json, Value::string(text)};
  };
  Value helm_version = native(std::make_shared<const StructValue>(
      "version.BuildInfo", StructValue::Form::kStruct,
      std::vector<StructField>{helm("Version", "version", kHelmVersion),
                               helm("GitCommit", "git_commit", ""),
                               helm("GitTreeState", "git_tree_state", "clean"),
                               helm("GoVersion", "go_version", "go1.26.8")}));
  return native(std::make_shared<const StructValue>(
      "chartutil.Capabilities", StructValue::Form::kPointer,
      std::vector<StructField>{
          {"KubeVersion", "KubeVersion",
           native(std::make_shared<const KubeVersionValue>(capabilities.kube_version)),
           JsonEmpty::kWrite},
          {"APIVersions", "APIVersions",
           native(std::make_shared<const VersionSetValue>(capabilities.api_versions)),
           JsonEmpty::kWrite},
          {"HelmVersion", "HelmVersion", std::move(helm_version), JsonEmpty::kWrite}}));
}

void add_capability_methods(tmpl::FunctionMap& functions) {
  funcs::Table kube_version;
  kube_version.add("String", version_text).add("GitVersion", version_text);
  add_methods(functions, kKubeVersionType, kube_version);
  funcs::Table version_set;
  version_set.add("Has", has_version);
  add_methods(functions, kVersionSetType, version_set);
}

}  // namespace chartwright::chart
