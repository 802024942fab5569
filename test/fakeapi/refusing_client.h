// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kube/client.h"

namespace chartwright::fakeapi {

/// A Client whose calls all fail. Fakes override the calls that their test is about.
class RefusingClient : public kube::Client {
 public:
  base::Result<kube::ResourceMapping> mapping_for(const kube::Gvk& /*gvk*/,
                                                  const kube::Call& /*call*/) override {
    return unexpected();
  }
  base::Result<kube::ResourceMapping> preferred_mapping(const kube::GroupKind& /*kind*/,
                                                        const kube::Call& /*call*/) override {
    return unexpected();
  }
  base::Status refresh_kinds(base::Duration /*age*/, const kube::Call& /*call*/) override {
    return unexpected();
  }
  base::Result<value::Value> schema_of(const kube::Gvk& /*gvk*/,
                                       const kube::Call& /*call*/) override {
    return unexpected();
  }
  base::Result<value::Value> get(const kube::ObjectRef& /*ref*/,
                                 const kube::Call& /*call*/) override {
    return unexpected();
  }
  base::Result<kube::ListPage> list(const kube::Gvk& /*gvk*/, const kube::ListOptions& /*options*/,
                                    const kube::Call& /*call*/) override {
    return unexpected();
  }
  base::Status watch(const kube::Gvk& /*gvk*/, const kube::WatchOptions& /*options*/,
                     std::stop_token /*stop*/, const kube::WatchSink& /*sink*/) override {
    return unexpected();
  }
  base::Result<value::Value> create(const value::Value& /*object*/,
                                    const kube::WriteOptions& /*options*/,
                                    const kube::Call& /*call*/) override {
    return unexpected();
  }
  base::Result<value::Value> update(const value::Value& /*object*/,
                                    const kube::WriteOptions& /*options*/,
                                    const kube::Call& /*call*/) override {
    return unexpected();
  }
  base::Result<kube::Applied> apply(const value::Value& /*object*/,
                                    const kube::ApplyOptions& /*options*/,
                                    const kube::Call& /*call*/) override {
    return unexpected();
  }
  base::Result<value::Value> patch(const kube::ObjectRef& /*ref*/, const kube::Patch& /*patch*/,
                                   const kube::WriteOptions& /*options*/,
                                   const kube::Call& /*call*/) override {
    return unexpected();
  }
  base::Status remove(const kube::ObjectRef& /*ref*/, const kube::DeleteOptions& /*options*/,
                      const kube::Call& /*call*/) override {
    return unexpected();
  }

 private:
  static base::Error unexpected() {
    return {base::ErrorCode::kInternal, "the test expects no such call"};
  }
};

}  // namespace chartwright::fakeapi
