// SPDX-License-Identifier: Apache-2.0
#include "helm/version/profile.h"

#include <algorithm>
#include <array>

namespace chartwright::helm {
namespace {

constexpr value::GoType kValues{"chartutil.Values", value::Element::kInterface, true};
constexpr value::GoType kCommonValues{"common.Values", value::Element::kInterface, true};
constexpr value::DictType kValuesDict(kValues);
constexpr value::DictType kCommonValuesDict(kCommonValues);

/// The group versions of client-go 0.33's scheme and of apiextensions, in the scheme's order.
constexpr std::array<std::string_view, 57> kApiVersions33 = {
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
    "autoscaling/v2beta1",
    "autoscaling/v2beta2",
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
    "networking.k8s.io/v1",
    "networking.k8s.io/v1alpha1",
    "networking.k8s.io/v1beta1",
    "node.k8s.io/v1",
    "node.k8s.io/v1alpha1",
    "node.k8s.io/v1beta1",
    "policy/v1",
    "policy/v1beta1",
    "rbac.authorization.k8s.io/v1",
    "rbac.authorization.k8s.io/v1beta1",
    "rbac.authorization.k8s.io/v1alpha1",
    "resource.k8s.io/v1beta2",
    "resource.k8s.io/v1beta1",
    "resource.k8s.io/v1alpha3",
    "scheduling.k8s.io/v1alpha1",
    "scheduling.k8s.io/v1beta1",
    "scheduling.k8s.io/v1",
    "storage.k8s.io/v1beta1",
    "storage.k8s.io/v1",
    "storage.k8s.io/v1alpha1",
    "storagemigration.k8s.io/v1alpha1",
    "apiextensions.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1",
};

/// Like kApiVersions33, for client-go 0.37.
constexpr std::array<std::string_view, 57> kApiVersions37 = {
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

/// Helm 3.18, linked with a release of Masterminds/semver: 3.3 in Helm's release, 3.4 in
/// operator-sdk 1.42.3, whose go.mod asks for it.
constexpr Profile helm_3_18(SemverRelease semver) {
  return Profile{.name = "3.18",
                 .helm_version = "v3.18.6",
                 .go_version = "go1.24.6",
                 .kube_minor = 33,
                 .api_versions = kApiVersions33,
                 .package = "chartutil",
                 .chart_package = "chart",
                 .head_package = "releaseutil",
                 .values_type = kValuesDict,
                 .kube_version = KubeVersionRule::kSemver,
                 .nulls = NullRule::kAnyDefault,
                 .aliases = AliasRule::kShared,
                 .dot_names = DotNameRule::kAccepted,
                 .chart = ChartRule::kStruct,
                 .errors = ErrorRule::kChain,
                 .split = SplitRule::kTrimmed,
                 .webhooks = WebhookRule::kUnknownKinds,
                 .empty_lines = EmptyLinesRule::kPanic,
                 .schemas = {UrnRule::kRefused, SchemaRelease::k6_0_2},
                 .toml = TomlRule::k1_5,
                 .semver = semver,
                 .values = ValuesRule::kFirstDocument,
                 .file_size = FileSizeRule::kBounded,
                 .functions = FunctionRule::kHelm3,
                 .log = LogRule::kLines318,
                 .loader = LoaderRule::kAny,
                 .steps = StepRule::kBare};
}

constexpr size_t kReleases = 3;
constexpr std::array<Profile, kReleases + 1> kProfiles = {
    helm_3_18(SemverRelease::k3_3),
    Profile{.name = "3.22",
            .helm_version = "v3.22.0",
            .go_version = "go1.26.8",
            .kube_minor = 37,
            .api_versions = kApiVersions37,
            .package = "chartutil",
            .chart_package = "chart",
            .head_package = "releaseutil",
            .values_type = kValuesDict,
            .kube_version = KubeVersionRule::kNumbers,
            .nulls = NullRule::kKnownDefault,
            .aliases = AliasRule::kShared,
            .dot_names = DotNameRule::kRefused,
            .chart = ChartRule::kStruct,
            .errors = ErrorRule::kChain,
            .split = SplitRule::kTrimmed,
            .webhooks = WebhookRule::kUnknownKinds,
            .empty_lines = EmptyLinesRule::kNoLines,
            .schemas = {UrnRule::kAnything, SchemaRelease::k6_0_3},
            .toml = TomlRule::k1_6,
            .semver = SemverRelease::k3_5,
            .values = ValuesRule::kFirstDocument,
            .file_size = FileSizeRule::kBounded,
            .functions = FunctionRule::kHelm3,
            .log = LogRule::kLines322,
            .loader = LoaderRule::kAny,
            .steps = StepRule::kBare},
    Profile{.name = "4.3",
            .helm_version = "v4.3.1",
            .go_version = "go1.27.2",
            .kube_minor = 37,
            .api_versions = kApiVersions37,
            .package = "common",
            .chart_package = "v2",
            .head_package = "util",
            .values_type = kCommonValuesDict,
            .kube_version = KubeVersionRule::kWhole,
            .nulls = NullRule::kCleanDefaults,
            .aliases = AliasRule::kCopied,
            .dot_names = DotNameRule::kRefused,
            .chart = ChartRule::kMap,
            .errors = ErrorRule::kTrace,
            .split = SplitRule::kLines,
            .webhooks = WebhookRule::kLast,
            .empty_lines = EmptyLinesRule::kNoLines,
            .schemas = {UrnRule::kAnything, SchemaRelease::k6_0_3},
            .toml = TomlRule::k1_6,
            .semver = SemverRelease::k3_5,
            .values = ValuesRule::kAllDocuments,
            .file_size = FileSizeRule::kUnbounded,
            .functions = FunctionRule::kHelm4,
            .log = LogRule::kRecords,
            .loader = LoaderRule::kByApiVersion,
            .steps = StepRule::kNamed},
    helm_3_18(SemverRelease::k3_4),
};

}  // namespace

std::span<const Profile> profiles() { return std::span(kProfiles).first(kReleases); }

std::span<const Profile> all_profiles() { return kProfiles; }

const Profile& embedded_profile(const Profile& profile) {
  return &profile == kProfiles.data() ? kProfiles.back() : profile;
}

const Profile& default_profile() { return kProfiles[1]; }

const Profile* find_profile(std::string_view name) {
  const auto* found = std::find_if(kProfiles.begin(), kProfiles.end(),
                                   [name](const Profile& p) { return p.name == name; });
  return found != kProfiles.end() ? found : nullptr;
}

std::string profile_names() {
  std::string names;
  for (const Profile& profile : profiles()) {
    names += (names.empty() ? "" : ", ") + std::string(profile.name);
  }
  return names;
}

}  // namespace chartwright::helm
