// SPDX-License-Identifier: Apache-2.0
#include "external/runner.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/digest.h"
#include "base/strings.h"

namespace chartwright::external {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

// More than any path through the state machine takes.
constexpr int kStepsMax = 16;
constexpr size_t kKeyDigits = 32;
constexpr size_t kSentBytesMax = size_t{16} << 10;
// After this many timeouts without a result, a create whose reply was lost is taken as not made.
constexpr int kTimeoutsToSettle = 2;

// How a person says that an interrupted create made nothing.
constexpr std::string_view kNone = "none";

// Reports whether another body could have fared better than the one that was refused.
bool is_about_body(const Error& error) {
  return error.reason() != kube::kNotSent && error.code() != ErrorCode::kInvalidArgument &&
         error.code() != ErrorCode::kUnauthorized && error.code() != ErrorCode::kTooManyRequests;
}

}  // namespace

Value captures(const std::vector<External>& externals, const Records& records) {
  if (externals.empty()) {
    return {};
  }
  Value all = Value::dict();
  for (const External& external : externals) {
    const auto found = records.find(external.name);
    const std::string id = found == records.end() ? "" : found->second.id;
    all.mutable_dict().set(external.name, Value::dict({{"id", Value::string(id)}}));
  }
  return all;
}

Error Runner::explained(const External& external, const Error& error) const {
  return secrets_.masked(Error(error).wrap("external " + external.name));
}

base::Status Runner::bring_about() {
  base::Status result;
  std::set<std::string> failed;
  for (const External& external : externals_) {
    const bool lacks = std::any_of(external.uses.begin(), external.uses.end(),
                                   [&failed](const auto& name) { return failed.contains(name); });
    if (lacks) {
      failed.insert(external.name);
      continue;
    }
    const auto done = drive(external, Goal::kPresent);
    if (done.ok()) {
      continue;
    }
    failed.insert(external.name);
    if (result.ok()) {
      result = explained(external, done.error());
    }
  }
  return result;
}

base::Status Runner::remove() {
  base::Status result;
  std::set<std::string> needed;  // By externals that are still there.
  for (auto external = externals_.rbegin(); external != externals_.rend(); ++external) {
    if (needed.contains(external->name)) {
      needed.insert(external->uses.begin(), external->uses.end());
      continue;
    }
    const auto done = drive(*external, Goal::kAbsent);
    if (done.ok()) {
      continue;
    }
    needed.insert(external->uses.begin(), external->uses.end());
    if (result.ok()) {
      result = explained(*external, done.error());
    }
  }
  return result;
}

base::Result<Value> Runner::scope_for() {
  CW_TRY(Value scope, around_.scope());
  scope.mutable_dict().set("External", captures(externals_, records_));
  return scope;
}

base::Status Runner::drive(const External& external, Goal goal) {
  Record& record = records_[external.name];
  if (goal == Goal::kAbsent && record.id.empty() && record.intent.empty()) {
    return {};
  }
  CW_TRY(const Value scope, scope_for());
  Session session(external, {around_, services_.connections, services_.call, secrets_, scope,
                             memory_.credentials[external.name], goal});
  if (goal == Goal::kPresent) {
    CW_TRY(const base::Duration resync, session.resync());
    resync_ = std::min(resync_, resync);
  } else {
    CW_TRY(const DeletionPolicy policy, session.deletion_policy());
    if (policy == DeletionPolicy::kOrphan) {
      orphans_.push_back(external.name + " " + (record.id.empty() ? "(id unknown)" : record.id));
      return {};
    }
  }
  if (goal == Goal::kAbsent && memory_.unsent.contains(external.name)) {
    record = Record{};
    return {};
  }
  known_ = Knowledge{};
  candidates_.clear();
  known_.announced = memory_.unsent.contains(external.name);
  if (record.is_presumed()) {
    CW_TRY_VOID(recall(external));
  }
  const Adoption adoption = external.adopt ? Adoption::kPossible : Adoption::kImpossible;
  for (int i = 0; i < kStepsMax; ++i) {
    const Action action = next_action(record, known_, goal, adoption);
    if (action == Action::kDone) {
      record.held.clear();
      return {};
    }
    if (action == Action::kHold) {
      CW_TRY_VOID(hold(external, session, goal));
      continue;
    }
    record.held.clear();
    CW_TRY_VOID(step(external, session, action));
  }
  return Error(ErrorCode::kInternal, "no end after " + std::to_string(kStepsMax) + " steps");
}

base::Status Runner::step(const External& external, Session& session, Action action) {
  Record& record = records_[external.name];
  switch (action) {
    case Action::kObserve: {
      CW_TRY(known_.seen, session.observe(record.id));
      return {};
    }
    case Action::kSearch:
      return search(external, session);
    case Action::kAnnounce:
      return announce(external, session);
    case Action::kCreate:
      return create(external, session);
    case Action::kAdopt:
      return adopt(external);
    case Action::kUpdate:
      CW_TRY_VOID(session.update(record.id));
      services_.log.info("Updated external", {{"external", external.name}, {"id", record.id}});
      known_.seen = Seen::kCurrent;
      return {};
    case Action::kDelete:
      CW_TRY_VOID(session.remove(record.id));
      known_.deleted = true;
      known_.seen = Seen::kUnknown;
      return {};
    case Action::kForget:
      services_.log.info("Deleted external", {{"external", external.name}, {"id", record.id}});
      record = Record{};
      settle(external);
      return {};
    case Action::kPause:
      return Error(ErrorCode::kUnavailable,
                   record.is_presumed()
                       ? "an earlier create may be lost to the status; the search for its object "
                         "goes on"
                       : "an interrupted create may still be under way; the search for its object "
                         "goes on")
          .with_retry_after(1);
    case Action::kWait:
      return Error(ErrorCode::kUnavailable, "the server accepted the deletion of " + record.id +
                                                ", and the object is still there");
    case Action::kHold:
    case Action::kDone:
      return {};
  }
  return {};
}

// The status was lost. A copy that nobody else can have written is as good as it.
base::Status Runner::recall(const External& external) {
  CW_TRY(std::optional<Record> known, around_.vouched(external.name));
  if (!known || known->empty()) {
    return {};
  }
  CW_TRY_VOID(around_.hold());
  records_[external.name] = *std::move(known);
  return around_.save();
}

base::Status Runner::announce(const External& external, Session& session) {
  std::string sent;
  if (external.keeps_sent) {
    CW_TRY(sent, session.create_body());
    if (sent.size() > kSentBytesMax) {
      return Error(ErrorCode::kBudget,
                   "the body of the create is larger than 16 KiB, and \"adopt\" "
                   "reads it: it cannot be kept in the status");
    }
  }
  Record& record = records_[external.name];
  const Record before = record;
  const bool is_first = before.id.empty() && before.intent.empty();
  record = Record{"", base::format_rfc3339(services_.clock.wall()), std::move(sent), ""};
  auto stored = store_intent(external, is_first ? Surprise::kPossible : Surprise::kRuledOut);
  if (!stored.ok()) {
    record = before;
    return std::move(stored).error();
  }
  known_ = Knowledge{};
  if (*stored == Copied::kKnowsMore) {
    record = presumed_record(services_.clock.wall());
    return recall(external);
  }
  known_.announced = true;
  settle(external);
  return {};
}

// First the copy, then the finalizer, then the status: nothing is sent before all are stored. The
// copy may tell that the status has lost something.
base::Result<Copied> Runner::store_intent(const External& external, Surprise surprise) {
  CW_TRY(const Copied copied, around_.copy(external.name, surprise));
  if (copied == Copied::kYes) {
    CW_TRY_VOID(around_.hold());
    CW_TRY_VOID(around_.save());
  }
  return copied;
}

// Nothing is left to find out about an earlier create.
void Runner::settle(const External& external) {
  memory_.unsent.erase(external.name);
  memory_.nothing_since.erase(external.name);
}

// A server that acts once on a key wants the same body with it. So a create that may have had an
// effect is repeated as it was; its object is then updated.
base::Result<std::string> Runner::body_to_send(const External& external, Session& session) {
  const Record& record = records_[external.name];
  if (!known_.announced && !record.sent.empty()) {
    return record.sent;
  }
  CW_TRY(std::string body, session.create_body());
  if (external.keeps_sent && record.sent != body) {
    CW_TRY_VOID(announce(external, session));  // The search must be for the body that is sent.
  }
  return body;
}

base::Status Runner::create(const External& external, Session& session) {
  CW_TRY(const std::string body, body_to_send(external, session));
  Record& record = records_[external.name];
  auto id = session.create(
      base::sha256_hex(services_.owner_uid + " " + external.name + " " + record.intent)
          .substr(0, kKeyDigits),
      body);
  if (!id.ok()) {
    return note_failure(external, session, std::move(id).error());
  }
  const bool is_repeated = !known_.announced;
  settle(external);
  record = Record{*id, "", "", ""};
  services_.log.info("Created external", {{"external", external.name}, {"id", *id}});
  CW_TRY_VOID(around_.save());
  known_ = Knowledge{};
  known_.seen = is_repeated ? Seen::kUnknown : Seen::kCurrent;
  return {};
}

base::Status Runner::note_failure(const External& external, Session& session, Error error) {
  if (!was_refused(error)) {
    settle(external);  // From now on it may come into being.
    return std::move(error).wrap("create");
  }
  if (!known_.announced) {
    return note_doubtful(external, session, std::move(error));
  }
  if (external.adopt) {
    memory_.unsent.insert(external.name);  // Keeps the intent, for the retry.
  } else {
    records_[external.name].intent.clear();  // A new process could not know that nothing was made.
  }
  return std::move(error).wrap("create");
}

// After a refusal of a create that is repeated, which says nothing about the first one.
base::Status Runner::note_doubtful(const External& external, Session& session, Error error) {
  if (!is_about_body(error)) {
    return std::move(error).wrap("create");
  }
  const std::string& sent = records_[external.name].sent;
  if (!may_be_under_way(error) && !sent.empty()) {
    CW_TRY(const std::string body, session.create_body());
    if (body == sent) {
      return std::move(error).wrap("create");
    }
    if (error.code() == ErrorCode::kInvalid) {
      return announce(external, session);
    }
  }
  known_.contested = true;
  refusal_ = error.message();
  return {};
}

base::Status Runner::search(const External& external, Session& session) {
  const Record& record = records_[external.name];
  std::string sent = record.sent;
  if (record.is_presumed() && external.keeps_sent) {
    CW_TRY(sent, session.create_body());  // The object is then kept as the spec of today has it.
  }
  auto found = session.search(sent);
  if (!found.ok()) {
    return std::move(found).error().wrap(record.is_presumed()
                                             ? "search for what an earlier create made"
                                             : "search for what an interrupted create made");
  }
  candidates_ = *std::move(found);
  known_.candidates = candidates_.size();
  if (candidates_.empty()) {
    CW_TRY(const base::Duration timeout, session.timeout());
    const base::MonotonicTime now = services_.clock.monotonic();
    const auto since = memory_.nothing_since.try_emplace(external.name, now).first->second;
    known_.settled = now - since >= kTimeoutsToSettle * timeout;
  }
  return {};
}

base::Status Runner::adopt(const External& external) {
  CW_TRY_VOID(around_.hold());  // The finalizer may have been lost with the record.
  Record& record = records_[external.name];
  settle(external);
  record = Record{candidates_.front(), "", "", ""};
  services_.log.info("Found what an interrupted create made", {{"id", record.id}});
  CW_TRY_VOID(around_.save());
  known_ = Knowledge{};
  return {};
}

// Why it is not known whether an object is ours.
std::string Runner::doubt(const Record& record) const {
  const std::string begun =
      record.is_presumed()
          ? "an object may have been created " + record.intent + ", and the status does not say so"
          : "a create was interrupted (" + record.intent + ")";
  if (known_.contested) {
    return begun + ", and the server does not let it be repeated: " + refusal_;
  }
  return begun + ", and " +
         (known_.candidates ? std::to_string(candidates_.size()) +
                                  " objects may be the one: " + base::join(candidates_, ", ")
                            : std::string("the bundle has no \"adopt\" to find it by"));
}

// An annotation proves nothing: the id may be that of anybody's object. So it only chooses among
// those that the search has found, unless those who run the operator let it name any.
bool Runner::may_be_ours(const External& external, const std::string& id) const {
  if (around_.ids_of_others(external.name).contains(id)) {
    return false;
  }
  return around_.trusts_author() || std::ranges::find(candidates_, id) != candidates_.end();
}

// Says how a person ends the wait.
std::string Runner::way_out(const External& external, bool was_named) const {
  const std::string annotation = "the annotation chartwright.io/external-id." + external.name;
  const std::string wait = known_.contested ? "; it is repeated" : "; nothing is done";
  if (around_.trusts_author()) {
    return wait + " until " + annotation +
           (was_named ? " has an id that is not another custom resource's" : " has the id") +
           ", or \"none\"";
  }
  const std::string which = candidates_.empty() ? "" : "one of these ids, or ";
  return wait + " until " + annotation + " has " + which + "\"none\"" +
         (was_named ? ", which it has not" : "") +
         "; with \"adoption: author\" in watches.yaml it may have any id";
}

// Waits for a person to decide what the server cannot tell.
base::Status Runner::hold(const External& external, Session& session, Goal goal) {
  Record& record = records_[external.name];
  const auto decided = around_.decided_id(external.name);
  if (decided == kNone) {
    if (goal == Goal::kAbsent) {
      record = Record{};
      return {};
    }
    return announce(external, session);
  }
  if (decided && may_be_ours(external, *decided)) {
    candidates_ = {*decided};
    return adopt(external);
  }
  record.held = secrets_.masked(doubt(record) + way_out(external, decided.has_value()));
  return Error(ErrorCode::kOwnership, record.held).with_http(0, "AmbiguousCreate");
}

}  // namespace chartwright::external
