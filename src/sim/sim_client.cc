// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_client.h"

#include <algorithm>
#include <utility>

#include "runtime/pause.h"

namespace chartwright::sim {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;
using value::Value;

namespace {

ErrorCode code_of(int status) {
  switch (status) {
    case 409:
      return ErrorCode::kConflict;
    case 429:
      return ErrorCode::kTooManyRequests;
    default:
      return ErrorCode::kUnavailable;
  }
}

std::string reason_of(int status) {
  switch (status) {
    case 409:
      return "Conflict";
    case 429:
      return "TooManyRequests";
    case 500:
      return "InternalError";
    case 400:
      return "BadRequest";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 422:
      return "Invalid";
    case 504:
      return "Timeout";
    default:
      return "ServiceUnavailable";
  }
}

std::string verb(std::string_view name, kube::DryRun dry_run) {
  return (dry_run == kube::DryRun::kServer ? "dry-" : "") + std::string(name) + " ";
}

bool is_dry(kube::DryRun dry_run) { return dry_run == kube::DryRun::kServer; }

}  // namespace

Error SimClient::ended() const { return Error(ErrorCode::kCancelled, "the process has ended"); }

void SimClient::tell(Row::What what, const Request& request, const std::string& error) {
  Row row{.what = what, .process = process_, .call = request.what, .ref = request.ref};
  row.body = what == Row::What::kCall ? value::deep_copy(request.body) : Value();
  row.preconditions = request.preconditions;
  row.error = error;
  stage_.tell(std::move(row));
}

Status SimClient::interfere(const Incident& incident, const Request& request,
                            const kube::Call& call) {
  switch (incident.kind) {
    case Incident::Kind::kCrash:
      die();
      on_crash_();
      return ended();
    case Incident::Kind::kRefuse:
      return Error(code_of(incident.status), incident.message.empty()
                                                 ? request.what + " is refused as planned"
                                                 : incident.message)
          .with_http(incident.status, reason_of(incident.status));
    case Incident::Kind::kLose:
      return Error(ErrorCode::kUnavailable, "the connection was closed");
    case Incident::Kind::kDelay:
      if (incident.delay >= call.timeout) {
        runtime::pause(stage_.clock, call.timeout, call.stop);
        return Error(ErrorCode::kTimeout, "no answer within the timeout");
      }
      runtime::pause(stage_.clock, incident.delay, call.stop);
      return {};
    case Incident::Kind::kFreeze:
      stage_.scheduler.freeze(process_, incident.delay);
      stage_.scheduler.point();
      return {};
    case Incident::Kind::kStep:
      if (Status done = stage_.perform(incident.step); !done.ok()) {
        stage_.bad_step = std::move(done);
      }
      return {};
  }
  return {};
}

Status SimClient::interfere(Occasion::Side side, const Request& request, size_t number,
                            const kube::Call& call) {
  for (const Incident& incident : stage_.script.take(side, request.what, number)) {
    CW_TRY_VOID(interfere(incident, request, call));
  }
  if (dead_) {
    return ended();
  }
  return {};
}

template <typename Answer, typename Send>
Result<Answer> SimClient::exchange(const Request& request, const kube::Call& call,
                                   const Send& send) {
  if (dead_) {
    return ended();
  }
  if (call.stop.stop_requested()) {
    return Error(ErrorCode::kCancelled, "stopped");
  }
  const size_t number = stage_.script.arrive(request.what);
  tell(Row::What::kCall, request);
  stage_.scheduler.point();
  const auto fail = [&](Error error) {
    if (!dead_) {
      tell(Row::What::kAnswer, request, error.to_string());
    }
    return error;
  };
  if (Status fate = interfere(Occasion::Side::kBefore, request, number, call); !fate.ok()) {
    return fail(std::move(fate).error());
  }
  Result<Answer> answer = [&]() -> Result<Answer> {
    const Scheduler::Undisturbed undisturbed(stage_.scheduler);
    Row commit{.what = Row::What::kCommit, .process = process_, .call = request.what};
    commit.ref = request.ref;
    commit.preconditions = request.preconditions;
    commit.before = stage_.server.peek(request.ref);
    Result<Answer> sent = send();
    commit.after = stage_.server.peek(request.ref);
    if (has_changed(commit.before, commit.after)) {
      stage_.tell(std::move(commit));
      stage_.note_change();
    }
    return sent;
  }();
  if (answer.ok() && !request.dry && is_write(request.what) && stage_.script.crashes_at_write()) {
    die();
    on_crash_();
    return ended();
  }
  if (Status fate = interfere(Occasion::Side::kAfter, request, number, call); !fate.ok()) {
    return fail(std::move(fate).error());
  }
  stage_.scheduler.point();
  if (dead_) {
    return ended();
  }
  tell(Row::What::kAnswer, request, answer.ok() ? "" : answer.error().to_string());
  return answer;
}

Result<kube::ResourceMapping> SimClient::mapping_for(const kube::Gvk& gvk, const kube::Call& call) {
  return dead_ ? Result<kube::ResourceMapping>(ended()) : stage_.server.mapping_for(gvk, call);
}

Result<kube::ResourceMapping> SimClient::preferred_mapping(const kube::GroupKind& kind,
                                                           const kube::Call& call) {
  return dead_ ? Result<kube::ResourceMapping>(ended())
               : stage_.server.preferred_mapping(kind, call);
}

Status SimClient::refresh_kinds(base::Duration age, const kube::Call& call) {
  auto done = exchange<bool>({.what = "discover"}, call, [&]() -> Result<bool> {
    CW_TRY_VOID(stage_.server.refresh_kinds(age, call));
    return true;
  });
  if (!done.ok()) {
    return std::move(done).error();
  }
  return {};
}

Result<Value> SimClient::schema_of(const kube::Gvk& gvk, const kube::Call& call) {
  return dead_ ? Result<Value>(ended()) : stage_.server.schema_of(gvk, call);
}

Result<Value> SimClient::get(const kube::ObjectRef& ref, const kube::Call& call) {
  return exchange<Value>({.what = "get " + ref.to_string(), .ref = ref}, call,
                         [&] { return stage_.server.get(ref, call); });
}

Result<kube::ListPage> SimClient::list(const kube::Gvk& gvk, const kube::ListOptions& options,
                                       const kube::Call& call) {
  return exchange<kube::ListPage>({.what = "list " + gvk.kind}, call,
                                  [&] { return stage_.server.list(gvk, options, call); });
}

Status SimClient::watch(const kube::Gvk& gvk, const kube::WatchOptions& options,
                        std::stop_token stop, const kube::WatchSink& sink) {
  if (dead_) {
    runtime::pause(stage_.clock, std::chrono::seconds(1), stop);
    return ended();
  }
  if (options.on_accepted) {
    options.on_accepted();
  }
  return stage_.server.watch(gvk, options, stop, [&](kube::WatchFrame frame) -> Status {
    stage_.scheduler.point();  // Each event travels on its own.
    runtime::pause(stage_.clock, stage_.held(process_, gvk.kind), stop);
    return dead_ ? Status(ended()) : sink(std::move(frame));
  });
}

Result<Value> SimClient::create(const Value& object, const kube::WriteOptions& options,
                                const kube::Call& call) {
  const kube::ObjectRef ref = kube::ref_of(object);
  return exchange<Value>({.what = verb("create", options.dry_run) + ref.to_string(),
                          .ref = ref,
                          .body = object,
                          .dry = is_dry(options.dry_run)},
                         call, [&] { return stage_.server.create(object, options, call); });
}

Result<Value> SimClient::update(const Value& object, const kube::WriteOptions& options,
                                const kube::Call& call) {
  const kube::ObjectRef ref = kube::ref_of(object);
  return exchange<Value>({.what = "update " + ref.to_string(), .ref = ref, .body = object}, call,
                         [&] { return stage_.server.update(object, options, call); });
}

Result<kube::Applied> SimClient::apply(const Value& object, const kube::ApplyOptions& options,
                                       const kube::Call& call) {
  const kube::ObjectRef ref = kube::ref_of(object);
  const bool status = options.subresource == kube::Subresource::kStatus;
  return exchange<kube::Applied>(
      {.what = verb(status ? "apply-status" : "apply", options.dry_run) + ref.to_string(),
       .ref = ref,
       .body = object,
       .dry = is_dry(options.dry_run)},
      call, [&] { return stage_.server.apply(object, options, call); });
}

Result<Value> SimClient::patch(const kube::ObjectRef& ref, const kube::Patch& patch,
                               const kube::WriteOptions& options, const kube::Call& call) {
  return exchange<Value>({.what = verb("patch", options.dry_run) + ref.to_string(),
                          .ref = ref,
                          .body = patch.body,
                          .dry = is_dry(options.dry_run)},
                         call, [&] { return stage_.server.patch(ref, patch, options, call); });
}

Status SimClient::remove(const kube::ObjectRef& ref, const kube::DeleteOptions& options,
                         const kube::Call& call) {
  auto done = exchange<bool>({.what = verb("delete", options.dry_run) + ref.to_string(),
                              .ref = ref,
                              .preconditions = options,
                              .dry = is_dry(options.dry_run)},
                             call, [&]() -> Result<bool> {
                               CW_TRY_VOID(stage_.server.remove(ref, options, call));
                               return true;
                             });
  if (!done.ok()) {
    return std::move(done).error();
  }
  return {};
}

}  // namespace chartwright::sim
