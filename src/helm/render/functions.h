// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "helm/funcs/registry.h"
#include "helm/render/cluster_reader.h"
#include "helm/version/profile.h"
#include "tmpl/function.h"

namespace chartwright::helm {

/// State of one render that Helm's functions share.
class RenderState final : public tmpl::Extension {
 public:
  /// `complaints`, if there is one, takes what `required` and `fail` would fail with.
  explicit RenderState(ClusterReader* cluster, std::vector<std::string>* complaints = nullptr)
      : cluster_(cluster), complaints_(complaints) {}
  /// nullptr when there is no cluster: every lookup finds nothing.
  ClusterReader* cluster() const { return cluster_; }
  /// nullptr: `required` and `fail` fail.
  std::vector<std::string>* complaints() const { return complaints_; }
  /// Running executions of the named template through `include`.
  int& nesting(const std::string& name) { return nesting_[name]; }

  /// Lets the next so many calls of `required` pass that would fail.
  void waive(int required) {
    waived_ = required;
    refusal_.reset();
  }
  /// A `required` fails with `message`: true if it is to pass all the same.
  bool passes(std::string_view message) {
    if (waived_ > 0) {
      --waived_;
      return true;
    }
    refusal_ = message;
    return false;
  }
  /// The message of the `required` that has failed since the last waive.
  const std::optional<std::string>& refusal() const { return refusal_; }

 private:
  ClusterReader* cluster_;
  std::vector<std::string>* complaints_;
  int waived_ = 0;
  std::optional<std::string> refusal_;
  std::map<std::string, int> nesting_;
};

/// Everything a chart's template may call: Sprig's functions and Helm's own. Built on the first
/// call; thread-safe. The executions must carry a RenderState as extension.
/// Source: helm/helm pkg/engine/funcs.go, engine.go initFunMap.
std::shared_ptr<const tmpl::FunctionMap> helm_functions(const Profile& profile = default_profile());

/// Helm's own functions in one version, as docs/compatibility.md lists them; they replace those of
/// Sprig that have the same name.
std::vector<funcs::Entry> helm_registry(const Profile& profile);

/// Markers that `fail` and `required` put around a message, so that the engine finds it at any
/// depth of nested errors. Source: helm/helm v3 pkg/engine/engine.go warnWrap.
inline constexpr std::string_view kUserErrorStart = "HELM_ERR_START";
inline constexpr std::string_view kUserErrorEnd = "HELM_ERR_END";

/// Name of the namespace's own template, which `tpl` uses for the text it evaluates.
inline constexpr std::string_view kRootTemplateName = "gotpl";

/// Removes every "<no value>", as Helm does with all rendered text.
std::string without_no_value(std::string_view text);

}  // namespace chartwright::helm
