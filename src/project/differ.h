// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "bundle/renderer.h"
#include "bundle/watch.h"
#include "cli/cluster_flags.h"
#include "diff/fleet.h"
#include "diff/report.h"
#include "kube/object.h"
#include "project/cluster.h"
#include "project/diff_target.h"
#include "value/value.h"

namespace chartwright::cmd {

/// The custom resources that are looked at.
struct DiffPlace {
  std::string ns;  ///< For cluster-scoped ones, that of the operator.
  bool all_namespaces = false;
  std::string selector;  ///< Labels; for all of a kind.
  ClusterFlags cluster;
};

/// Returns the custom resource that a target names. Errors: kInvalidArgument where flag and file
/// name two namespaces; those of discovery. Blocks.
base::Result<kube::ObjectRef> ref_of(const DiffTarget& target, const bundle::Watch& watch,
                                     const DiffPlace& place, Cluster& cluster);

/// Tells what the operator would do to custom resources of one kind. The references must outlive
/// it. Its methods block.
class Differ {
 public:
  /// Asks the server for its version and kinds. Errors: those of the server.
  static base::Result<std::unique_ptr<Differ>> make(const DiffPlace& place,
                                                    const bundle::Watch& watch, Cluster& cluster);

  /// Looks at one custom resource, as it is or as the target gives it. Errors: where it cannot be
  /// read, or the server does not take what is given, which comes from `file`.
  base::Result<diff::Report> plan_one(const DiffTarget& target, const std::string& file) const;

  /// Looks at all of the kind, several at a time, and keeps what fails as the failure of that one.
  /// Errors: those of listing them.
  base::Result<std::vector<diff::Member>> plan_all() const;

 private:
  Differ(const DiffPlace& place, const bundle::Watch& watch, Cluster& cluster,
         std::shared_ptr<const bundle::CapabilitySet> capabilities)
      : place_(place),
        watch_(watch),
        cluster_(cluster),
        renderer_(std::move(capabilities), clock_) {}

  base::Result<value::Value> custom_resource(const DiffTarget& target,
                                             const std::string& file) const;
  base::Result<value::Value> as_written(const kube::ObjectRef& ref, const value::Value& given,
                                        base::Result<value::Value> live) const;
  /// Thread-safe.
  base::Result<diff::Report> plan(const value::Value& cr, bool exists) const;
  base::Result<std::vector<kube::ObjectRef>> all_of_kind() const;
  /// Thread-safe.
  diff::Member look_at(const kube::ObjectRef& ref) const;
  base::Result<std::string> why_unseen(const value::Value& cr, bool exists) const;
  base::Result<bool> is_selected(const value::Value& cr) const;

  const DiffPlace& place_;
  const bundle::Watch& watch_;
  Cluster& cluster_;
  mutable base::SystemClock clock_;
  const bundle::Renderer renderer_;
};

}  // namespace chartwright::cmd
