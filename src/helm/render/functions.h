// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "helm/funcs/caches.h"
#include "helm/render/cluster_reader.h"
#include "helm/version/log_line.h"
#include "helm/version/profile.h"
#include "tmpl/function.h"

namespace chartwright::helm {

/// The state of one render, shared by Helm's functions.
class RenderState final : public funcs::State {
 public:
  /// If `complaints` is not null, `required` and `fail` add their messages to it, in the form of
  /// `profile`, and do not fail.
  explicit RenderState(funcs::Caches& caches, ClusterReader* cluster = nullptr,
                       std::vector<std::string>* complaints = nullptr,
                       const Profile& profile = default_profile())
      : State(caches), cluster_(cluster), complaints_(complaints), profile_(profile) {}
  /// nullptr without a cluster, in which case every lookup finds nothing.
  ClusterReader* cluster() const { return cluster_; }
  /// Records a failing call of `required` or `fail`. Reports whether it is not to fail.
  bool tolerates(const LogMessage& message) {
    if (complaints_ != nullptr) {
      complaints_->push_back(log_line(message, profile_));
    }
    return complaints_ != nullptr;
  }
  /// Returns the number of running executions of the named template through `include`.
  int& nesting(const std::string& name) { return nesting_[name]; }

  /// Lets failing calls of the template function `required` pass, up to the given number, and
  /// resets failed_required.
  void skip_required(int count) {
    skips_left_ = count;
    failed_required_.reset();
  }
  /// Reports whether a call of `required` that would fail with `message` is to pass. If not,
  /// `message` becomes failed_required.
  bool may_skip(std::string_view message) {
    if (skips_left_ > 0) {
      --skips_left_;
      return true;
    }
    failed_required_ = message;
    return false;
  }
  /// Returns the message of the `required` that failed since the last skip_required.
  const std::optional<std::string>& failed_required() const { return failed_required_; }

 private:
  ClusterReader* cluster_;
  std::vector<std::string>* complaints_;
  const Profile& profile_;
  int skips_left_ = 0;
  std::optional<std::string> failed_required_;
  std::map<std::string, int> nesting_;
};

/// Returns all functions for a chart's templates: Sprig's and Helm's own. Built on the first call.
/// Thread-safe. Executions must have a RenderState as extension.
/// Source: helm/helm pkg/engine/funcs.go, engine.go initFunMap.
std::shared_ptr<const tmpl::FunctionMap> helm_functions(const Profile& profile = default_profile());

/// Returns Helm's own functions in one version, as docs/reference/compatibility.md lists them. They
/// replace Sprig's functions of the same name.
std::vector<funcs::Entry> helm_registry(const Profile& profile);

/// The markers that `fail` and `required` put around a message, so that the engine finds it at any
/// depth of nested errors. Source: helm/helm v3 pkg/engine/engine.go warnWrap.
inline constexpr std::string_view kUserErrorStart = "HELM_ERR_START";
inline constexpr std::string_view kUserErrorEnd = "HELM_ERR_END";

/// The name of the namespace's root template, which `tpl` uses for the text that it evaluates.
inline constexpr std::string_view kRootTemplateName = "gotpl";

/// Removes every "<no value>", as Helm does in all rendered text.
std::string without_no_value(std::string_view text);

}  // namespace chartwright::helm
