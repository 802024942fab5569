// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kube/client.h"

namespace chartwright::process {

/// Hides the Secret of the master key from everything that a chart or a custom resource can name:
/// `lookup`, related objects, credentials of externals, children and targets of patches.
/// Thread-safe.
class KeyGuard final : public kube::Client {
 public:
  /// `client` must outlive it. Without a name in `key`, only the type tells.
  KeyGuard(kube::Client& client, kube::ObjectRef key) : client_(client), key_(std::move(key)) {}

  base::Result<kube::ResourceMapping> mapping_for(const kube::Gvk& gvk,
                                                  const kube::Call& call) override {
    return client_.mapping_for(gvk, call);
  }
  base::Result<kube::ResourceMapping> preferred_mapping(const kube::GroupKind& kind,
                                                        const kube::Call& call) override {
    return client_.preferred_mapping(kind, call);
  }
  base::Status refresh_kinds(base::Duration age, const kube::Call& call) override {
    return client_.refresh_kinds(age, call);
  }
  base::Result<value::Value> schema_of(const kube::Gvk& gvk, const kube::Call& call) override {
    return client_.schema_of(gvk, call);
  }
  base::Result<value::Value> get(const kube::ObjectRef& ref, const kube::Call& call) override;
  base::Result<kube::ListPage> list(const kube::Gvk& gvk, const kube::ListOptions& options,
                                    const kube::Call& call) override;
  base::Status watch(const kube::Gvk& gvk, const kube::WatchOptions& options, std::stop_token stop,
                     const kube::WatchSink& sink) override;
  base::Result<value::Value> create(const value::Value& object, const kube::WriteOptions& options,
                                    const kube::Call& call) override;
  base::Result<value::Value> update(const value::Value& object, const kube::WriteOptions& options,
                                    const kube::Call& call) override;
  base::Result<kube::Applied> apply(const value::Value& object, const kube::ApplyOptions& options,
                                    const kube::Call& call) override;
  base::Result<value::Value> patch(const kube::ObjectRef& ref, const kube::Patch& patch,
                                   const kube::WriteOptions& options,
                                   const kube::Call& call) override;
  base::Status remove(const kube::ObjectRef& ref, const kube::DeleteOptions& options,
                      const kube::Call& call) override;

 private:
  bool hides(const kube::ObjectRef& ref) const { return !key_.name.empty() && ref == key_; }
  bool hides(const value::Value& object) const;
  base::Status check(const kube::ObjectRef& ref) const;

  kube::Client& client_;
  const kube::ObjectRef key_;
};

}  // namespace chartwright::process
