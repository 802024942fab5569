// SPDX-License-Identifier: Apache-2.0
#include "release/hook.h"

#include <algorithm>
#include <array>
#include <climits>
#include <tuple>
#include <utility>

#include "health/conditions.h"
#include "value/json.h"

namespace chartwright::release {
namespace {

using value::Value;

const kube::GroupKind kJob{"batch", "Job"};
const kube::GroupKind kPod{"", "Pod"};
constexpr std::array<std::string_view, 8> kEventNames = {
    "pre-install",  "post-install",  "pre-upgrade", "post-upgrade",
    "pre-rollback", "post-rollback", "pre-delete",  "post-delete"};
constexpr std::array<std::string_view, 3> kDeletionNames = {"before-hook-creation",
                                                            "hook-succeeded", "hook-failed"};

bool lists(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

std::vector<std::string> texts_at(const Value& item, std::string_view key) {
  std::vector<std::string> texts;
  const Value* list = item.find(key);
  if (list != nullptr && list->is_list()) {
    for (const Value& one : list->as_list().items) {
      if (one.is_string()) {
        texts.push_back(one.as_string());
      }
    }
  }
  return texts;
}

// Records are decoded with floats, as Helm does.
int weight_at(const Value& item) {
  const Value* weight = item.find("weight");
  if (weight == nullptr || !weight->is_float() ||
      !(weight->as_float() >= INT_MIN && weight->as_float() <= INT_MAX)) {
    return 0;
  }
  return static_cast<int>(weight->as_float());
}

Value hook_item(const Hook& hook) {
  // A hook that did not run has Helm's zero times.
  const Value never = Value::dict({{"started_at", Value::string("")},
                                   {"completed_at", Value::string("")},
                                   {"phase", Value::string("")}});
  Value item = Value::dict({{"name", Value::string(hook.name)},
                            {"kind", Value::string(hook.kind)},
                            {"path", Value::string(hook.path)},
                            {"manifest", Value::string(hook.text)},
                            {"events", value::list_of(hook.events)},
                            {"last_run", never},
                            {"weight", Value::integer(hook.weight)}});
  if (!hook.delete_policies.empty()) {
    item.mutable_dict().set("delete_policies", value::list_of(hook.delete_policies));
  }
  if (!hook.output_log_policies.empty()) {
    item.mutable_dict().set("output_log_policies", value::list_of(hook.output_log_policies));
  }
  return item;
}

// "BackoffLimitExceeded: Job has reached the specified backoff limit".
std::string joined(std::string_view reason, std::string_view message) {
  std::string all(reason);
  if (!reason.empty() && !message.empty()) {
    all += ": ";
  }
  return all.append(message);
}

const Value* true_condition(const Value& object, std::string_view type) {
  const Value* found = health::condition_of(object, type);
  return found != nullptr && found->string_at({"status"}) == "True" ? found : nullptr;
}

HookVerdict judge_job(const Value& job) {
  if (true_condition(job, "Complete") != nullptr) {
    return {HookState::kSucceeded, ""};
  }
  if (const Value* failed = true_condition(job, "Failed")) {
    return {HookState::kFailed,
            joined(failed->string_at({"reason"}), failed->string_at({"message"}))};
  }
  const auto count = [&job](std::string_view key) {
    const Value* number = job.find_path({"status", key});
    return std::to_string(number != nullptr && number->is_int() ? number->as_int() : 0);
  };
  return {HookState::kRunning, count("active") + " pods active, " + count("failed") + " failed"};
}

HookVerdict judge_pod(const Value& pod) {
  const std::string_view phase = pod.string_at({"status", "phase"});
  if (phase == "Succeeded") {
    return {HookState::kSucceeded, ""};
  }
  if (phase == "Failed") {
    return {HookState::kFailed,
            joined(pod.string_at({"status", "reason"}), pod.string_at({"status", "message"}))};
  }
  return {HookState::kRunning, "phase " + std::string(phase.empty() ? "Pending" : phase)};
}

}  // namespace

std::string_view to_string(HookEvent event) { return kEventNames[static_cast<size_t>(event)]; }

bool Hook::has_event(HookEvent event) const { return lists(events, to_string(event)); }

bool Hook::has_policy(HookDeletion policy) const {
  return delete_policies.empty()
             ? policy == HookDeletion::kBeforeCreation
             : lists(delete_policies, kDeletionNames[static_cast<size_t>(policy)]);
}

std::vector<Hook> hooks_of(const std::vector<Hook>& hooks, HookEvent event) {
  std::vector<Hook> chosen;
  std::copy_if(hooks.begin(), hooks.end(), std::back_inserter(chosen),
               [event](const Hook& hook) { return hook.has_event(event); });
  std::stable_sort(chosen.begin(), chosen.end(), [](const Hook& a, const Hook& b) {
    return std::tie(a.weight, a.name) < std::tie(b.weight, b.name);
  });
  return chosen;
}

base::Result<std::string> text_of_release(std::string manifest, std::vector<Hook> hooks) {
  std::erase_if(hooks, [](const Hook& hook) {
    return std::ranges::none_of(hook.events, [](const std::string& event) {
      return std::ranges::find(kEventNames, event) != kEventNames.end();
    });
  });
  return former_text_of_release(std::move(manifest), std::move(hooks));
}

// No manifest contains a zero byte, so nothing can pass from one part to the other.
base::Result<std::string> former_text_of_release(std::string manifest, std::vector<Hook> hooks) {
  if (hooks.empty()) {
    return manifest;
  }
  for (Hook& hook : hooks) {
    if (hook.delete_policies.empty()) {  // Helm notes the default when it runs a hook.
      hook.delete_policies.emplace_back(kDeletionNames.front());
    }
  }
  CW_TRY(const std::string described,
         value::to_json(hooks_to_record(hooks), value::JsonEscape::kNone));
  manifest += '\0';
  return manifest += described;
}

Value hooks_to_record(const std::vector<Hook>& hooks) {
  std::vector<Value> items;
  items.reserve(hooks.size());
  std::transform(hooks.begin(), hooks.end(), std::back_inserter(items), hook_item);
  return Value::list(std::move(items));
}

std::vector<Hook> hooks_from_record(const Value& list) {
  std::vector<Hook> hooks;
  if (!list.is_list()) {
    return hooks;
  }
  for (const Value& item : list.as_list().items) {
    Hook hook{std::string(item.string_at({"path"})),
              std::string(item.string_at({"manifest"})),
              std::string(item.string_at({"kind"})),
              std::string(item.string_at({"name"})),
              texts_at(item, "events"),
              weight_at(item),
              texts_at(item, "delete_policies"),
              texts_at(item, "output_log_policies")};
    if (!hook.text.empty()) {
      hooks.push_back(std::move(hook));
    }
  }
  return hooks;
}

bool is_waited_for(const kube::GroupKind& kind) { return kind == kJob || kind == kPod; }

HookVerdict judge_hook(const Value& object) {
  const kube::GroupKind kind = kube::gvk_of(object).group_kind();
  if (!is_waited_for(kind)) {
    return {HookState::kSucceeded, ""};
  }
  return kind == kJob ? judge_job(object) : judge_pod(object);
}

}  // namespace chartwright::release
