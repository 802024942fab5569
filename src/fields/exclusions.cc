// SPDX-License-Identifier: Apache-2.0
#include "fields/exclusions.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "base/strings.h"
#include "fields/projection.h"
#include "fields/siblings.h"
#include "kube/api_status.h"

namespace chartwright::fields {
namespace {

using value::Value;
using Members = std::vector<std::string>;

constexpr int kTriesMax = 48;
constexpr size_t kCausesMax = 16;

class Trials {
 public:
  Trials(kube::Client& client, const RefusedApply& refused, const kube::Call& call)
      : client_(client), live_(refused.live), call_(call) {
    options_.field_manager = refused.manager;
    options_.dry_run = kube::DryRun::kServer;
  }

  /// Returns the fewest members without which the object is valid. None if it is invalid without
  /// all of them, too, or valid with all of them, once the rest has its desired form: the reason is
  /// another one, or deeper, and what others have set beside it stays. None, too, if there are too
  /// many to tell: what was not tried stays.
  base::Result<Members> fewest(const Siblings& one) {
    CW_TRY(const bool is_valid, is_valid_without(one, one.members));
    if (!is_valid) {
      return Members();
    }
    Members fewest = one.members;
    std::vector<Chunk> chunks{Chunk(one.members)};
    if (one.members.size() > 1) {
      split(chunks);
    }
    while (!chunks.empty()) {
      const Chunk chunk = chunks.back();
      Members fewer = fewest;
      std::erase_if(fewer, [chunk](const std::string& member) {
        return std::ranges::find(chunk, member) != chunk.end();
      });
      CW_TRY(const bool is_enough, is_valid_without(one, fewer));
      if (is_enough) {
        fewest = std::move(fewer);
        chunks.pop_back();
      } else {
        split(chunks);
      }
    }
    return tries_ == kTriesMax ? Members() : fewest;
  }

  /// Returns the object of the last trial that was valid.
  Value take() { return std::move(tried_); }

 private:
  using Chunk = std::span<const std::string>;

  /// Replaces the last chunk by its halves, the first one last; drops one of a single member.
  static void split(std::vector<Chunk>& chunks) {
    const Chunk last = chunks.back();
    chunks.pop_back();
    if (last.size() > 1) {
      const size_t half = last.size() / 2;
      chunks.push_back(last.subspan(half));
      chunks.push_back(last.first(half));
    }
  }

  base::Result<bool> is_valid_without(const Siblings& one, const Members& members) {
    if (tries_ == kTriesMax) {
      return false;
    }
    ++tries_;
    auto tried = client_.patch(kube::ref_of(live_),
                               {kube::PatchType::kJson, patch_without(live_, one, members)},
                               options_, call_);
    if (tried.ok()) {
      tried_ = *std::move(tried);
      return true;
    }
    if (!kube::refuses_object(tried.error())) {
      return std::move(tried).error();
    }
    return false;
  }

  kube::Client& client_;
  const Value& live_;
  kube::WriteOptions options_;
  const kube::Call& call_;
  int tries_ = 0;
  Value tried_;
};

// Removes members that are null, which say nothing, but keep the live value of their field.
void drop_nulls(const Value& v, int depth) {
  constexpr int kDepthMax = 200;
  if (depth > kDepthMax) {
    return;
  }
  if (v.is_list()) {
    for (const Value& item : v.as_list().items) {
      drop_nulls(item, depth + 1);
    }
  }
  if (!v.is_dict()) {
    return;
  }
  std::vector<std::string> nulls;
  for (const auto& [name, member] : v.as_dict()) {
    if (member.is_nil()) {
      nulls.push_back(name);
    }
    drop_nulls(member, depth + 1);
  }
  for (const std::string& name : nulls) {
    v.mutable_dict().erase(name);
  }
}

// "spec.strategy.rollingUpdate (set by kubectl)"
std::string describe(const Value& live, const Siblings& one, const std::string& member) {
  std::vector<value::Path::Step> steps = one.place.steps();
  steps.emplace_back(member);
  const value::Path path(std::move(steps));
  const std::vector<std::string> managers = FieldManagers(live).of(path);
  return path.to_string() +
         (managers.empty() ? " (a default)" : " (set by " + base::join(managers, ", ") + ")");
}

}  // namespace

base::Result<Exclusions> find_exclusions(kube::Client& client, const RefusedApply& refused,
                                         const kube::Call& call) {
  const Value& live = refused.live;
  Trials trials(client, refused, call);
  std::set<std::string> looked_at;
  std::vector<Siblings> chosen;
  Exclusions found;
  const size_t causes = std::min(refused.refusal.causes().size(), kCausesMax);
  for (size_t i = 0; i < causes; ++i) {
    for (Siblings& one : find_siblings(live, refused.body, refused.refusal.causes()[i].field)) {
      if (!looked_at.insert(one.place.to_string()).second) {
        continue;
      }
      CW_TRY(one.members, trials.fewest(one));
      for (const std::string& member : one.members) {
        found.fields.push_back(describe(live, one, member));
      }
      if (!one.members.empty()) {
        chosen.push_back(std::move(one));
      }
    }
  }
  if (!chosen.empty()) {
    found.managers = managed_fields_with_members(live, refused.manager, chosen);
    found.tried = trials.take();
    found.body = value::deep_copy(refused.body);
    drop_nulls(found.body, 0);
  }
  return found;
}

}  // namespace chartwright::fields
