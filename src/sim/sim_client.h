// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "kube/client.h"
#include "sim/stage.h"

namespace chartwright::sim {

/// The connection of one process to the server of the stage. Every call is two points of the
/// schedule, its arrival and its answer, so that others may come between; and there the plan may
/// interfere.
class SimClient final : public kube::Client {
 public:
  /// `on_crash` is called when the plan ends the process.
  SimClient(std::string process, Stage& stage, std::function<void()> on_crash)
      : process_(std::move(process)), stage_(stage), on_crash_(std::move(on_crash)) {}

  /// From now on, calls do nothing: the process has ended, and only its threads do not know yet.
  void die() { dead_ = true; }
  bool is_dead() const { return dead_; }

  base::Result<kube::ResourceMapping> mapping_for(const kube::Gvk& gvk,
                                                  const kube::Call& call) override;
  base::Result<kube::ResourceMapping> preferred_mapping(const kube::GroupKind& kind,
                                                        const kube::Call& call) override;
  base::Status refresh_kinds(base::Duration age, const kube::Call& call) override;
  base::Result<value::Value> schema_of(const kube::Gvk& gvk, const kube::Call& call) override;
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
  struct Request {
    std::string what;
    kube::ObjectRef ref = {};
    value::Value body = {};
    kube::DeleteOptions preconditions = {};
    bool dry = false;
  };
  template <typename Answer, typename Send>
  base::Result<Answer> exchange(const Request& request, const kube::Call& call, const Send& send);
  /// Carries out what the plan has at that side of the call. An error is the call's result.
  base::Status interfere(Occasion::Side side, const Request& request, size_t number,
                         const kube::Call& call);
  base::Status interfere(const Incident& incident, const Request& request, const kube::Call& call);
  base::Error ended() const;
  void tell(Row::What what, const Request& request, const std::string& error = "");

  const std::string process_;
  Stage& stage_;
  const std::function<void()> on_crash_;
  std::atomic<bool> dead_{false};
};

}  // namespace chartwright::sim
