// SPDX-License-Identifier: Apache-2.0
#include "release/inventory.h"

#include <array>
#include <utility>

#include "release/secret_digest.h"

namespace chartwright::release {

using value::Value;

namespace {

// A larger one in the status was written by another client.
constexpr int64_t kSerialMax = 1'000'000'000;

constexpr std::array<std::pair<Motion, std::string_view>, 3> kMotions = {{
    {Motion::kHeld, "held"},
    {Motion::kComing, "coming"},
    {Motion::kGoing, "going"},
}};

// Who has drift ignored.
const std::string kByAnnotation = "annotation";
const std::string kByRule = "rule";

KeptDrift drift_in(const Value& item) {
  KeptDrift drift;
  drift.change = item.string_at({"drift"});
  const std::string_view by = item.string_at({"driftIgnored"});
  drift.ignored = by == kByAnnotation || by == kByRule;
  if (by == kByAnnotation) {
    drift.asked = DriftPolicy::kIgnore;
  }
  return drift;
}

Motion motion_in(const Value& item) {
  for (const auto& [motion, name] : kMotions) {
    if (item.string_at({"pace"}) == name) {
      return motion;
    }
  }
  return Motion::kNone;
}

int serial_in(const Value& item) {
  const Value* member = item.find("serial");
  const int64_t number = member != nullptr && member->is_int() ? member->as_int() : 0;
  return number > 0 && number < kSerialMax ? static_cast<int>(number) : 0;
}

// Guesses at the content of a Secret are not tested for those who can write the status.
std::string digest_in(const Value& item, std::string_view key, const kube::Gvk& gvk) {
  const std::string_view digest = item.string_at({key});
  return may_be_shown(gvk, digest) ? std::string(digest) : "";
}

}  // namespace

void forget_digests_of_secrets(Inventory& inventory) {
  for (auto& [ref, entry] : inventory) {
    if (kube::is_secret(ref.gvk)) {
      entry.desired.clear();
      entry.observed.clear();
    }
  }
}

void retry_left_out(Inventory& inventory) {
  for (auto& [ref, entry] : inventory) {
    if (!entry.left_out.empty()) {
      entry.observed.clear();
    }
  }
}

bool is_over(const InventoryEntry& entry, base::WallTime now) {
  return was_applied(&entry) && !entry.unverified && entry.ending &&
         health::explains_absence(*entry.ending, now);
}

bool is_noted(const KeptDrift& kept, std::string_view version,
              const std::optional<DriftPolicy>& asked) {
  return kept.asked == asked && (kept.ignored || kept.version == version);
}

kube::ObjectRef slot_of(const kube::ObjectRef& ref, const InventoryEntry& entry) {
  return {ref.gvk, ref.ns, entry.slot.empty() ? ref.name : entry.slot};
}

bool is_behind(std::string_view cached_version, const InventoryEntry& entry) {
  if (entry.resource_version.empty() || cached_version == entry.resource_version) {
    return false;
  }
  return kube::is_older_version(cached_version, entry.resource_version);
}

Value to_status(const kube::ObjectRef& ref, const InventoryEntry& entry) {
  Value item = Value::dict();
  value::Dict& members = item.mutable_dict();
  auto set = [&members](std::string_view key, const std::string& text) {
    if (!text.empty()) {
      members.set(key, Value::string(text));
    }
  };
  set("group", ref.gvk.group);
  set("version", ref.gvk.version);
  set("kind", ref.gvk.kind);
  set("namespace", ref.ns);
  set("name", ref.name);
  if (entry.role == Role::kPartial) {
    members.set("partial", Value::boolean(true));
  }
  set("held", entry.held);
  set("frozen", entry.frozen);
  set("leftOut", entry.left_out);
  set("drift", entry.drift.change);
  if (entry.drift.ignored) {
    set("driftIgnored", entry.drift.asked ? kByAnnotation : kByRule);
  }
  if (entry.outdated) {
    members.set("outdated", Value::boolean(true));
  }
  for (const auto& [motion, name] : kMotions) {
    if (entry.motion == motion) {
      members.set("pace", Value::string(name));
    }
  }
  if (entry.ending) {
    set("ended", health::to_text(*entry.ending));
  }
  set("slot", entry.slot);
  if (entry.serial > 0) {
    members.set("serial", Value::integer(entry.serial));
  }
  if (entry.unverified) {
    members.set("unverified", Value::boolean(true));
  }
  for (const auto& [key, digest] :
       {std::pair("desired", &entry.desired), std::pair("observed", &entry.observed)}) {
    if (may_be_shown(ref.gvk, *digest)) {
      set(key, *digest);
    }
  }
  return item;
}

Inventory inventory_from_status(const Value& resources) {
  Inventory inventory;
  if (!resources.is_list()) {
    return inventory;
  }
  for (const Value& item : resources.as_list().items) {
    kube::ObjectRef ref;
    ref.gvk = {std::string(item.string_at({"group"})), std::string(item.string_at({"version"})),
               std::string(item.string_at({"kind"}))};
    ref.ns = item.string_at({"namespace"});
    ref.name = item.string_at({"name"});
    if (ref.gvk.kind.empty() || ref.gvk.version.empty() || !kube::is_path_segment(ref.name)) {
      continue;
    }
    InventoryEntry entry;
    entry.role = item.bool_at({"partial"}) ? Role::kPartial : Role::kChild;
    entry.outdated = item.bool_at({"outdated"});
    entry.desired = digest_in(item, "desired", ref.gvk);
    entry.observed = digest_in(item, "observed", ref.gvk);
    entry.held = item.string_at({"held"});
    entry.frozen = item.string_at({"frozen"});
    entry.left_out = item.string_at({"leftOut"});
    entry.drift = drift_in(item);
    entry.ending = health::ending_in(item.string_at({"ended"}));
    entry.slot = item.string_at({"slot"});
    entry.serial = serial_in(item);
    entry.motion = motion_in(item);
    entry.unverified = item.bool_at({"unverified"});
    inventory.emplace(std::move(ref), std::move(entry));
  }
  return inventory;
}

}  // namespace chartwright::release
