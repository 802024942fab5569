// SPDX-License-Identifier: Apache-2.0
#include "runtime/lease.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/digest.h"
#include "runtime/pause.h"

namespace chartwright::runtime {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;
using value::Value;

constexpr std::string_view kApiVersion = "coordination.k8s.io/v1";
constexpr std::string_view kKind = "Lease";
constexpr int kReleaseTries = 3;

kube::ObjectRef ref_of(const LeaseOptions& options) {
  return {kube::Gvk::from_api_version(kApiVersion, kKind), options.ns, options.name};
}

int64_t whole_seconds(base::Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

std::string_view holder_of(const Value& lease) {
  return lease.string_at({"spec", "holderIdentity"});
}

// Returns a count or a number of seconds, which has 31 bits in the API; 0 if it is missing or
// invalid.
int64_t spec_int(const Value& lease, std::string_view field) {
  const Value* found = lease.find_path({"spec", field});
  const int64_t number = found != nullptr && found->is_int() ? found->as_int() : 0;
  return number >= 0 && number < std::numeric_limits<int32_t>::max() ? number : 0;
}

/// Returns the dict `lease.spec`, creating it if needed.
value::Dict& spec_of(const Value& lease) {
  Value& spec = lease.mutable_dict().at_or_insert("spec");
  if (!spec.is_dict()) {
    spec = Value::dict();
  }
  return spec.mutable_dict();
}

}  // namespace

Result<LeaderElection> LeaderElection::make(LeaseOptions options, kube::Client& client,
                                            base::Clock& clock, const base::Logger& log,
                                            Fence& fence) {
  if (options.ns.empty() || options.name.empty() || options.identity.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 "leader election needs a namespace, a name and an identity");
  }
  if (options.lease_duration <= options.renew_deadline ||
      options.renew_deadline * 5 <= options.retry_period * 6 ||
      whole_seconds(options.lease_duration) < 1 || options.retry_period <= base::Duration::zero()) {
    return Error(ErrorCode::kInvalidArgument,
                 "leader election needs lease duration > renew deadline > 1.2 x retry period > 0");
  }
  return LeaderElection(std::move(options), client, clock, log, fence);
}

LeaderElection::LeaderElection(LeaseOptions options, kube::Client& client, base::Clock& clock,
                               const base::Logger& log, Fence& fence)
    : options_(std::move(options)),
      client_(&client),
      clock_(&clock),
      fence_(&fence),
      log_(log.with(
          {{"lease", options_.ns + "/" + options_.name}, {"identity", options_.identity}})) {
  random_.seed(base::random_seed());
}

kube::Call LeaderElection::call(const std::stop_token& stop) const {
  // Half the deadline, so that the lease survives one lost request.
  base::Duration timeout = options_.renew_deadline / 2;
  if (holding_) {
    timeout = std::min(timeout, std::max(base::Duration(1), renew_by() - clock_->monotonic()));
  }
  return {stop, timeout};
}

void LeaderElection::observe(const Value& lease) {
  if (observed_.is_nil() ||
      kube::resource_version_of(observed_) != kube::resource_version_of(lease)) {
    observed_ = lease;
    observed_time_ = clock_->monotonic();
  }
}

bool LeaderElection::is_held_by_other() const {
  const std::string_view holder = holder_of(observed_);
  const base::Duration validity = std::chrono::seconds(
      std::clamp<int64_t>(spec_int(observed_, "leaseDurationSeconds"), 0, 86400));
  return !holder.empty() && holder != options_.identity &&
         clock_->monotonic() - observed_time_ < validity;
}

/// Returns `current`, or a new lease if it is nil, with us as its holder.
Value LeaderElection::claim(const Value& current) const {
  Value lease =
      current.is_nil()
          ? Value::dict({{"apiVersion", Value::string(kApiVersion)},
                         {"kind", Value::string(kKind)},
                         {"metadata", Value::dict({{"name", Value::string(options_.name)},
                                                   {"namespace", Value::string(options_.ns)}})}})
          : value::deep_copy(current);
  value::Dict& spec = spec_of(lease);
  const Value now = Value::string(base::format_rfc3339_micro(clock_->wall()));
  if (holder_of(lease) != options_.identity) {
    const int64_t transitions = current.is_nil() ? 0 : spec_int(current, "leaseTransitions") + 1;
    spec.set("leaseTransitions", Value::integer(transitions));
    spec.set("acquireTime", now);
    spec.set("holderIdentity", Value::string(options_.identity));
  }
  spec.set("leaseDurationSeconds", Value::integer(whole_seconds(options_.lease_duration)));
  spec.set("renewTime", now);
  return lease;
}

Status LeaderElection::write(const Value& lease, const std::stop_token& stop) {
  kube::WriteOptions options;
  options.field_manager = "chartwright-leader-election";
  const bool is_new = kube::resource_version_of(lease).empty();
  const base::MonotonicTime began = clock_->monotonic();
  // The lease has a resourceVersion, so the update fails if another process was faster.
  CW_TRY(const Value written, is_new ? client_->create(lease, options, call(stop))
                                     : client_->update(lease, options, call(stop)));
  observed_ = written;
  observed_time_ = clock_->monotonic();
  renewed_ = began;
  return {};
}

Result<bool> LeaderElection::try_hold(const std::stop_token& stop) {
  // The holder renews the lease as last written, and reads it again only if that fails.
  if (!observed_.is_nil() && holder_of(observed_) == options_.identity &&
      write(claim(observed_), stop).ok()) {
    return true;
  }
  auto current = client_->get(ref_of(options_), call(stop));
  if (!current.ok()) {
    const bool is_missing =
        current.error().code() == ErrorCode::kNotFound && current.error().http_status() == 404;
    if (!is_missing) {
      return std::move(current).error();
    }
    CW_TRY_VOID(write(claim(Value::nil()), stop));
    return true;
  }
  observe(*current);
  if (is_held_by_other()) {
    return false;
  }
  CW_TRY_VOID(write(claim(*current), stop));
  return true;
}

Result<Acquired> LeaderElection::acquire(std::stop_token stop) {
  log_.info("Waiting for the lease");
  auto acquired = Acquired::kAtOnce;
  while (!stop.stop_requested()) {
    auto held = try_hold(stop);
    if (held.ok() && *held) {
      fence_->set_end(renew_by());
      log_.info("Holding the lease");
      return acquired;
    }
    acquired = Acquired::kAfterAnother;
    if (!held.ok() && !stop.stop_requested()) {
      log_.warn("Lease could not be acquired", {{"error", held.error().to_string()}});
    }
    // Candidates for the same lease must not all ask at the same time (client-go's JitterFactor).
    std::uniform_real_distribution<double> jitter(1.0, 2.2);
    const auto wait = std::chrono::duration<double>(options_.retry_period) * jitter(random_);
    pause(*clock_, std::chrono::duration_cast<base::Duration>(wait), stop);
  }
  return Error(ErrorCode::kCancelled, "stopped while waiting for the lease");
}

Status LeaderElection::hold(std::stop_token stop) {
  holding_ = true;
  Status kept = keep(stop);
  holding_ = false;
  return kept;
}

Status LeaderElection::keep(const std::stop_token& stop) {
  while (true) {
    const base::Duration left = renew_by() - clock_->monotonic();
    pause(*clock_, std::min(options_.retry_period, left), stop);
    if (stop.stop_requested()) {
      return {};
    }
    // Also after a time in which the process was suspended: others may have taken the lease.
    if (clock_->monotonic() >= renew_by()) {
      return Error(ErrorCode::kTimeout, "the lease could not be renewed within " +
                                            base::format_go_duration(options_.renew_deadline));
    }
    auto held = try_hold(stop);
    if (held.ok() && *held) {
      fence_->set_end(renew_by());
    } else if (held.ok()) {
      fence_->set_end(clock_->monotonic());
      return Error(ErrorCode::kConflict,
                   "the lease is held by " + std::string(holder_of(observed_)));
    } else if (!stop.stop_requested()) {
      log_.warn("Lease could not be renewed", {{"error", held.error().to_string()}});
    }
  }
}

Status LeaderElection::release() {
  Status last = Error(ErrorCode::kConflict, "the lease changes too often");
  for (int i = 0; i < kReleaseTries; ++i) {
    if (observed_.is_nil() || holder_of(observed_) != options_.identity) {
      return {};
    }
    const Value lease = value::deep_copy(observed_);
    value::Dict& spec = spec_of(lease);
    const Value now = Value::string(base::format_rfc3339_micro(clock_->wall()));
    spec.set("holderIdentity", Value::string(""));
    spec.set("leaseDurationSeconds", Value::integer(1));
    spec.set("renewTime", now);
    spec.set("acquireTime", now);
    last = write(lease, {});
    if (last.ok() || last.error().code() != ErrorCode::kConflict) {
      return last;
    }
    CW_TRY(observed_, client_->get(ref_of(options_), call({})));
  }
  return last;
}

}  // namespace chartwright::runtime
