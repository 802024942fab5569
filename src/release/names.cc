// SPDX-License-Identifier: Apache-2.0
#include "release/names.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "base/digest.h"

namespace chartwright::release {
namespace {

// As long as a label value, as the API server makes names from metadata.generateName.
// Source: k8s.io/apiserver pkg/storage/names/generate.go.
constexpr size_t kNameBytesMax = 63;
constexpr size_t kSuffixBytes = 5;
// Letters and digits that make no words and are not mistaken for each other.
// Source: k8s.io/apimachinery pkg/util/rand.
constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
// More names of one slot than this are never in use at a time.
constexpr int kTriesMax = 1000;

std::string suffix(std::string_view text) {
  constexpr size_t kDigits = 12;  // More bits than five characters have.
  uint64_t number = 0;
  for (const char digit : base::sha256_hex(text).substr(0, kDigits)) {
    number = number * 16 + static_cast<uint64_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  }
  std::string out;
  for (size_t i = 0; i < kSuffixBytes; ++i) {
    out += kAlphabet[number % kAlphabet.size()];
    number /= kAlphabet.size();
  }
  return out;
}

// An entry of the inventory for a slot.
struct Occupant {
  kube::ObjectRef ref;
  const InventoryEntry* entry;
};

void set_name(const kube::ObjectRef& ref, int serial, Desired& desired) {
  desired.ref.name = ref.name;
  desired.serial = serial;
  const auto rename = [&ref](value::Value& object) {
    value::Value& metadata = *object.mutable_dict().find("metadata");
    metadata.mutable_dict().set("name", value::Value::string(ref.name));
  };
  rename(desired.body);
  std::ranges::for_each(desired.formers, rename);
  desired.digest = digest_of(desired);
}

// Finds the live names of one release.
class Names {
 public:
  explicit Names(const PlanInput& around) : around_(around) {
    for (const auto& [ref, entry] : around.inventory) {
      if (entry.role == Role::kChild) {
        occupants_[known_slot(ref, entry)].push_back({ref, &entry});
      }
    }
    for (auto& [slot, occupants] : occupants_) {
      std::stable_sort(occupants.begin(), occupants.end(), [](const auto& a, const auto& b) {
        return a.entry->serial > b.entry->serial;
      });
    }
  }

  void assign(Desired& desired) {
    const kube::ObjectRef slot = desired.ref;
    const std::vector<Occupant>& occupants = occupants_[slot];
    for (const bool lives : {true, false}) {
      for (const Occupant& one : occupants) {
        set_name(one.ref, one.entry->serial, desired);
        if (lives ? may_stay(desired, one.entry) : is_coming_or_over(desired, one.entry)) {
          return;
        }
      }
    }
    assign_next(slot, occupants, desired);
  }

 private:
  // A CRD that lacks status.resources[].slot has the API server drop it; the live object has it,
  // too. A child that had its rendered name until the template asked for another one is the slot's
  // first occupant.
  kube::ObjectRef known_slot(const kube::ObjectRef& ref, const InventoryEntry& entry) const {
    kube::ObjectRef slot = slot_of(ref, entry);
    const auto live = entry.slot.empty() ? around_.live(ref) : std::nullopt;
    if (live) {
      slot.name = kube::annotation_of(live->condensed(), kSlotAnnotation).value_or(ref.name);
    }
    return slot;
  }

  // Reports whether the object that has the name lives, and need not be replaced.
  bool may_stay(const Desired& desired, const InventoryEntry* entry) const {
    const auto live = around_.live(desired.ref);
    if (!live || live->deleting() || !live->present()) {
      return false;
    }
    const bool replaced = desired.rule != nullptr && desired.rule->update == Update::kRecreate &&
                          was_applied(entry) && !is_same_as(desired, entry->desired, around_.owner);
    return !replaced;
  }

  // Reports whether the name was announced, its object is on its way into the cache, or has done
  // its work.
  bool is_coming_or_over(const Desired& desired, const InventoryEntry* entry) const {
    const auto live = around_.live(desired.ref);
    if (entry->desired == desired.digest && is_over(*entry, around_.now)) {
      return !live || live->deleting();
    }
    return !live && (!was_applied(entry) || is_behind(around_.seen_version(desired.ref), *entry));
  }

  void assign_next(const kube::ObjectRef& slot, const std::vector<Occupant>& occupants,
                   Desired& desired) {
    int serial = occupants.empty() ? 0 : occupants.front().entry->serial + 1;
    for (int tries = 0; tries < kTriesMax; ++tries, ++serial) {
      kube::ObjectRef ref = slot;
      ref.name = live_name(desired.prefix, around_.owner, slot, serial);
      set_name(ref, serial, desired);
      const bool is_free =
          !around_.inventory.contains(ref) && (!around_.live(ref) || may_stay(desired, nullptr));
      if (is_free && taken_.insert(ref).second) {
        return;
      }
    }
  }

  const PlanInput& around_;
  std::map<kube::ObjectRef, std::vector<Occupant>> occupants_;  ///< Latest first.
  std::set<kube::ObjectRef> taken_;
};

}  // namespace

std::string live_name(std::string_view prefix, const Owner& owner, const kube::ObjectRef& ref,
                      int serial) {
  const std::string origin = owner.uid + "\n" + ref.to_string() + "\n" + std::to_string(serial);
  return std::string(prefix.substr(0, kNameBytesMax - kSuffixBytes)) + suffix(origin);
}

std::vector<Desired> with_live_names(std::vector<Desired> desired, const PlanInput& around) {
  const bool any = std::any_of(desired.begin(), desired.end(),
                               [](const Desired& one) { return !one.slot.empty(); });
  if (!any) {
    return desired;
  }
  Names names(around);
  std::map<kube::ObjectRef, Desired*> named;  // A slot that is rendered twice has one occupant.
  for (Desired& one : desired) {
    if (one.slot.empty()) {
      continue;
    }
    const kube::ObjectRef slot = one.ref;
    const auto [it, is_first] = named.emplace(slot, &one);
    if (is_first) {
      names.assign(one);
    } else {
      set_name(it->second->ref, it->second->serial, one);
    }
  }
  return desired;
}

}  // namespace chartwright::release
