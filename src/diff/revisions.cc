// SPDX-License-Identifier: Apache-2.0
#include "diff/revisions.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "base/strings.h"
#include "bundle/renderer.h"

namespace chartwright::diff {
namespace {

using base::Error;
using base::ErrorCode;
using release::Revision;
using value::Value;

constexpr std::string_view kDots = "..";

/// Identifies an object of a manifest, in whichever version of its API.
using ManifestKey = std::tuple<kube::GroupKind, std::string, std::string>;

ManifestKey key_of(const Value& object) {
  const kube::ObjectRef ref = kube::ref_of(object);
  return {ref.group_kind(), ref.ns, ref.name};
}

base::Result<std::vector<Value>> objects_of(const Revision& revision, host::SecretMask& secrets) {
  auto objects = bundle::Renderer::parse_manifest(revision.manifest);
  if (!objects.ok()) {
    return std::move(objects).error().wrap("revision " + std::to_string(revision.number));
  }
  for (const Value& object : *objects) {
    if (kube::is_secret(kube::gvk_of(object))) {
      secrets.add(object);
    }
  }
  return objects;
}

ObjectChange change_between(const Value& before, const Value& after) {
  const Value& object = after.is_nil() ? before : after;
  ObjectChange change{kube::ref_of(object), Fate::kApply, "", {}, {}};
  if (before.is_nil() || after.is_nil()) {
    change.fate = before.is_nil() ? Fate::kCreate : Fate::kDelete;
  }
  if (change.fate != Fate::kDelete) {
    change.fields = compare_fields(before, after);
  }
  if (change.fate == Fate::kApply && change.fields.kept.empty()) {
    change.fate = Fate::kUnchanged;
  }
  change.consequences = consequences_of(change.fate, before, after);
  return change;
}

bool is_of_kind(const Value& secret, const release::Owner& owner) {
  const auto references = kube::owner_references_of(secret);
  return references.empty() ||
         std::ranges::any_of(references, [&owner](const kube::OwnerReference& one) {
           return kube::Gvk::from_api_version(one.api_version, one.kind).group_kind() ==
                      owner.gvk.group_kind() &&
                  one.name == owner.name;
         });
}

std::string numbers_of(kube::Client& client, const kube::Call& call, const release::Owner& owner) {
  const auto records = release::list_records(client, call, owner);
  std::vector<std::string> numbers;
  if (records.ok()) {
    for (const release::ListedRecord& record : *records) {
      if (record.holder != release::Holder::kOther) {
        numbers.insert(numbers.begin(), std::to_string(record.number));
      }
    }
  }
  return numbers.empty() ? "there are no records of it" : "there are " + base::join(numbers, ", ");
}

}  // namespace

base::Result<RevisionRange> parse_revisions(std::string_view text) {
  const size_t dots = text.find(kDots);
  if (dots != std::string_view::npos) {
    const auto from = base::parse_int(text.substr(0, dots));
    const auto to = base::parse_int(text.substr(dots + kDots.size()));
    const auto is_number = [](const std::optional<int64_t>& number) {
      return number && *number > 0 && *number <= INT32_MAX;
    };
    if (is_number(from) && is_number(to)) {
      return RevisionRange{static_cast<int>(*from), static_cast<int>(*to)};
    }
  }
  return Error(ErrorCode::kInvalidArgument,
               "--revision: \"" + std::string(text) +
                   "\" is not a range of two revision numbers, such as \"3..4\"");
}

base::Result<std::pair<Revision, Revision>> load_revisions(kube::Client& client,
                                                           const kube::Call& call,
                                                           const release::Owner& owner,
                                                           const RevisionRange& range) {
  const auto decode = [&owner](const Value& secret) -> base::Result<Revision> {
    if (!is_of_kind(secret, owner)) {
      return Error(ErrorCode::kNotFound, "the record belongs to another custom resource");
    }
    return release::decode_revision(secret);
  };
  release::RevisionStore store(client, call, owner, nullptr, decode);
  const auto load = [&](int number) -> base::Result<Revision> {
    auto revision = store.load(number);
    if (!revision.ok() && revision.error().code() == ErrorCode::kNotFound) {
      return Error(ErrorCode::kNotFound, owner.gvk.kind + " " + owner.name + " has no revision " +
                                             std::to_string(number) + ": " +
                                             numbers_of(client, call, owner));
    }
    return revision;
  };
  CW_TRY(Revision from, load(range.from));
  CW_TRY(Revision to, load(range.to));
  return std::pair(std::move(from), std::move(to));
}

base::Result<Report> compare_revisions(const Revision& from, const Revision& to) {
  Report report;
  CW_TRY(const std::vector<Value> olds, objects_of(from, report.secrets));
  CW_TRY(const std::vector<Value> news, objects_of(to, report.secrets));
  std::map<ManifestKey, const Value*> left;
  for (const Value& object : olds) {
    left[key_of(object)] = &object;
  }
  for (const Value& object : news) {
    const auto old = left.find(key_of(object));
    report.objects.push_back(change_between(old == left.end() ? Value() : *old->second, object));
    if (old != left.end()) {
      left.erase(old);
    }
  }
  for (const auto& [key, object] : left) {
    report.objects.push_back(change_between(*object, {}));
  }
  if (from.hooks != to.hooks) {
    report.notes.emplace_back("the hooks of the two revisions differ");
  }
  return report;
}

}  // namespace chartwright::diff
