// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_run.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "scenario/expectations.h"
#include "scenario/memory_world.h"
#include "scenario/ready_status.h"

namespace chartwright::scenario {

using base::Error;
using base::ErrorCode;
using base::Status;
using value::Value;

namespace {

constexpr size_t kRequestsShown = 40;
/// The field managers of those who are not the operator.
constexpr const char* kUser = "kubectl-client-side-apply";
constexpr const char* kController = "kube-controller-manager";

/// Returns the error of a request whose answer is not looked at.
Status done(const base::Result<Value>& answer) {
  if (!answer.ok()) {
    return answer.error();
  }
  return {};
}

class Play {
 public:
  Play(const Scenario& scenario, World& world) : scenario_(scenario), world_(world) {}

  suite::JobResult run() {
    result_.name = scenario_.name;
    result_.passed = true;
    if (Status ready = set_up(); !ready.ok()) {
      fail(scenario_.pos, "given", ready.error());
      return std::move(result_);
    }
    for (size_t i = 0; i < scenario_.steps.size(); ++i) {
      const Step& step = scenario_.steps[i];
      const std::string place = "when[" + std::to_string(i) + "]";
      const Status taken = take(step, place);
      if (!taken.ok()) {
        fail(step.pos, place + " " + step.text, taken.error());
        break;
      }
    }
    return std::move(result_);
  }

 private:
  void fail(const base::SourcePos& pos, const std::string& what, const Error& error) {
    result_.passed = false;
    result_.error = pos.to_string() + ": " + what + ": " + error.message();
  }

  Status set_up() {
    for (const Value& object : scenario_.objects) {
      CW_TRY_VOID(create(object, "given " + kube::ref_of(object).to_string()));
    }
    world_.start(*scenario_.watch);
    return world_.settle();
  }

  Status create(const Value& object, const std::string& step) {
    return world_.act(step, kube::ref_of(object), [&object](kube::Client& client) -> Status {
      return done(client.create(object, {.field_manager = kUser}, {}));
    });
  }

  Status take(const Step& step, const std::string& place) {
    const size_t before = world_.mark();
    CW_TRY_VOID(act(step));
    if (step.action.kind == Action::Kind::kWait) {
      CW_TRY_VOID(world_.pass(step.action.duration));
    } else {
      CW_TRY_VOID(world_.settle());
    }
    if (step.then.empty()) {
      return {};
    }
    Seen seen;
    CW_TRY(seen.objects, world_.objects());
    seen.requests = world_.requests_since(before);
    for (size_t i = 0; i < step.then.size(); ++i) {
      judge(step, i, place, seen);
    }
    return {};
  }

  void judge(const Step& step, size_t index, const std::string& place, const Seen& seen) {
    const Expectation& expectation = step.then[index];
    suite::AssertionResult one{.index = result_.assertions.size(),
                               .place = place + ".then[" + std::to_string(index) + "]",
                               .pos = expectation.pos,
                               .type = expectation.name,
                               .is_not = expectation.is_not};
    one.lines = check(expectation, scenario_, seen);
    one.passed = one.lines.empty();
    if (!one.passed) {
      one.lines.push_back("Step:\t" + step.text);
      add_requests(seen, one.lines);
      one.hints.push_back("Asserted at:\t" + expectation.pos.to_string());
    }
    result_.passed = result_.passed && one.passed;
    result_.assertions.push_back(std::move(one));
  }

  void add_requests(const Seen& seen, std::vector<std::string>& lines) const {
    std::vector<std::string> sent;
    for (const Request& request : seen.requests) {
      if (request.ref.gvk.kind != "Event" && request.ref.ns != kOperatorNamespace) {
        sent.push_back("\t" + request.verb + " " + short_text(request.ref, scenario_.ref().ns) +
                       (request.error.empty() ? "" : ": " + request.error));
      }
    }
    if (sent.empty()) {
      lines.emplace_back("The operator sent nothing in this step.");
      return;
    }
    lines.emplace_back("Requests of the operator in this step:");
    const size_t shown = std::min(sent.size(), kRequestsShown);
    lines.insert(lines.end(), sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(shown));
    if (shown < sent.size()) {
      lines.push_back("\t... and " + std::to_string(sent.size() - shown) + " more");
    }
  }

  Status act(const Step& step) {
    const Action& action = step.action;
    switch (action.kind) {
      case Action::Kind::kInstall:
        return create(scenario_.resource, step.text);
      case Action::Kind::kUninstall:
      case Action::Kind::kDelete:
        return remove(step);
      case Action::Kind::kSet:
      case Action::Kind::kAnnotate:
      case Action::Kind::kRollback:
        return patch(step, action.patch, {.field_manager = kUser});
      case Action::Kind::kEdit:
        return patch(step, action.patch, {.field_manager = action.manager});
      case Action::Kind::kStatus:
        return patch(step, action.patch, status_write());
      case Action::Kind::kReady:
        return make_ready(step);
      default:
        return meddle(action);
    }
  }

  /// Does what is not a request to the API server.
  Status meddle(const Action& action) {
    switch (action.kind) {
      case Action::Kind::kChart:
        watch_ = action.watch;
        [[fallthrough]];
      case Action::Kind::kRestart:
        world_.start(watch_ != nullptr ? *watch_ : *scenario_.watch);
        return {};
      case Action::Kind::kRefuse:
        world_.refuse({action.verb, action.object, action.code, action.message,
                       static_cast<size_t>(action.count)});
        return {};
      case Action::Kind::kCrash:
        world_.crash_after(static_cast<size_t>(action.count));
        return {};
      default:
        return {};
    }
  }

  static kube::WriteOptions status_write() {
    return {.field_manager = kController, .subresource = kube::Subresource::kStatus};
  }

  /// Returns the object of a step, the first by name where it means several. Error: kNotFound.
  base::Result<Value> object_of(const Step& step) {
    const kube::ObjectRef& wanted = step.action.object;
    if (!wanted.name.ends_with('*')) {
      CW_TRY(Value object, world_.find(wanted));
      return object.is_nil() ? missing(wanted) : base::Result<Value>(std::move(object));
    }
    CW_TRY(const std::vector<Value> objects, world_.objects());
    const Value* first = nullptr;
    for (const Value& object : objects) {
      const bool is_before = first == nullptr || kube::name_of(object) < kube::name_of(*first);
      first = means(wanted, kube::ref_of(object)) && is_before ? &object : first;
    }
    return first == nullptr ? missing(wanted) : base::Result<Value>(*first);
  }

  base::Result<Value> missing(const kube::ObjectRef& ref) const {
    return Error(ErrorCode::kNotFound, "there is no " + short_text(ref, scenario_.ref().ns));
  }

  Status remove(const Step& step) {
    CW_TRY(const Value object, object_of(step));
    const kube::ObjectRef ref = kube::ref_of(object);
    return world_.act(step.text, ref,
                      [&ref](kube::Client& client) { return client.remove(ref, {}, {}); });
  }

  Status patch(const Step& step, const Value& body, const kube::WriteOptions& options) {
    CW_TRY(const Value object, object_of(step));
    const kube::ObjectRef ref = kube::ref_of(object);
    return world_.act(step.text, ref, [&](kube::Client& client) -> Status {
      return done(client.patch(ref, {kube::PatchType::kMerge, body}, options, {}));
    });
  }

  Status make_ready(const Step& step) {
    CW_TRY(const Value object, object_of(step));
    auto status = ready_status(object);
    if (!status) {
      return Error(ErrorCode::kInvalidArgument,
                   "it is not known what makes a " + step.action.object.gvk.kind +
                       " ready: use `status: {object: KIND/NAME, set: ...}`");
    }
    return patch(step, Value::dict({{"status", *std::move(status)}}), status_write());
  }

  const Scenario& scenario_;
  World& world_;
  std::shared_ptr<const bundle::Watch> watch_;  ///< The watch of the last kChart.
  suite::JobResult result_;
};

}  // namespace

suite::JobResult play(const Scenario& scenario, World& world) {
  return Play(scenario, world).run();
}

suite::JobResult run_in_memory(const Scenario& scenario) {
  suite::JobResult result;
  const Status played = play_in_memory(scenario.kinds.all(), [&](World& world) -> Status {
    result = play(scenario, world);
    return {};
  });
  if (!played.ok()) {
    result = {.name = scenario.name, .error = played.error().message()};
  }
  return result;
}

}  // namespace chartwright::scenario
