// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "helm/render/cluster_reader.h"
#include "suite/suite.h"

namespace chartwright::suite {

/// The objects of `kubernetesProvider`, for `lookup`, which finds none of a kind that the scheme
/// does not name. Source: helm-unittest pkg/unittest/k8s_fake_client.go.
class GivenObjects final : public helm::ClusterReader {
 public:
  /// `settings` must outlive the reader.
  explicit GivenObjects(const Settings& settings) : settings_(settings) {}
  base::Result<value::Value> get(const helm::LookupKey& key) override;
  base::Result<value::Value> list(const helm::LookupKey& key) override;

 private:
  /// Returns the objects of a kind, in that namespace if it is not empty.
  std::vector<value::Value> find(const helm::LookupKey& key) const;
  /// Returns what the scheme says of a kind; nullptr if it says nothing.
  const value::Value* kind_of(const helm::LookupKey& key) const;

  const Settings& settings_;
};

}  // namespace chartwright::suite
