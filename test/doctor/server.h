// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "test/fakeapi/refusing_client.h"

namespace chartwright::doctor::testing {

/// A clock on which nobody waits: it is as late as the one who waits wants it to be.
class LeapingClock final : public base::Clock {
 public:
  base::MonotonicTime monotonic() const override { return now_; }
  base::WallTime wall() const override { return {}; }
  base::Duration thread_cpu() const override { return {}; }
  void wait_until(base::CondVar& /*cv*/, base::Mutex& /*mutex*/,
                  base::MonotonicTime deadline) override {
    now_ = deadline;
  }

 private:
  base::MonotonicTime now_;
};

/// Answers what `doctor` asks of an API server, and refuses everything else.
class AnsweringClient final : public fakeapi::RefusingClient {
 public:
  std::map<kube::GroupKind, kube::ResourceMapping> served;
  /// Of "VERB RESOURCE.GROUP[/SUBRESOURCE] in NAMESPACE".
  std::function<bool(const std::string& right)> allows = [](const std::string&) { return true; };
  std::vector<value::Value> schemas;  ///< The answers, one after the other; the last one stays.
  std::map<std::string, value::Value> definitions;
  size_t refreshes_before_served = 0;

  base::Result<kube::ResourceMapping> mapping_for(const kube::Gvk& gvk,
                                                  const kube::Call& call) override {
    return preferred_mapping(gvk.group_kind(), call);
  }
  base::Result<kube::ResourceMapping> preferred_mapping(const kube::GroupKind& kind,
                                                        const kube::Call& /*call*/) override {
    const auto found = served.find(kind);
    if (found == served.end() || refreshes_before_served > 0) {
      return base::Error(base::ErrorCode::kNotFound, "no such kind")
          .with_http(404, std::string(kube::kNoMatchReason));
    }
    return found->second;
  }
  base::Status refresh_kinds(base::Duration /*age*/, const kube::Call& /*call*/) override {
    refreshes_before_served -= refreshes_before_served > 0 ? 1 : 0;
    return {};
  }
  base::Result<value::Value> schema_of(const kube::Gvk& /*gvk*/,
                                       const kube::Call& /*call*/) override {
    value::Value schema = schemas.front();
    if (schemas.size() > 1) {
      schemas.erase(schemas.begin());
    }
    return schema;
  }
  base::Result<value::Value> get(const kube::ObjectRef& ref, const kube::Call& /*call*/) override {
    const auto found = definitions.find(ref.name);
    return found != definitions.end() ? base::Result<value::Value>(found->second)
                                      : base::Error(base::ErrorCode::kNotFound, ref.name);
  }
  base::Result<value::Value> create(const value::Value& object,
                                    const kube::WriteOptions& /*options*/,
                                    const kube::Call& /*call*/) override {
    const auto asked = [&object](std::string_view name) {
      return std::string(object.string_at({"spec", "resourceAttributes", name}));
    };
    const std::string sub = asked("subresource").empty() ? "" : "/" + asked("subresource");
    const std::string right = asked("verb") + " " + asked("resource") + "." + asked("group") + sub +
                              " in " + asked("namespace");
    return value::Value::dict(
        {{"status", value::Value::dict({{"allowed", value::Value::boolean(allows(right))}})}});
  }
};

}  // namespace chartwright::doctor::testing
