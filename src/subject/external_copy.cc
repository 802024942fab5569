// SPDX-License-Identifier: Apache-2.0
#include "subject/external_copy.h"

#include <algorithm>
#include <utility>

#include "external/copy.h"
#include "fields/manager.h"
#include "release/small_writes.h"

namespace chartwright::op {
namespace {

using base::ErrorCode;
using external::Copied;
using external::Surprise;
using value::Value;

// A person may look for the custom resource of the Secret.
constexpr std::string_view kExternalsOf = "chartwright.io/externals-of";

bool says_something(const external::Record& record) {
  return !record.is_presumed() && (!record.id.empty() || !record.intent.empty());
}

bool has_any(const external::Records& records) {
  return std::ranges::any_of(records, [](const auto& item) { return says_something(item.second); });
}

}  // namespace

kube::ObjectRef ExternalCopy::ref() const {
  return {{"", "v1", "Secret"},
          subject_.owner.release_namespace(),
          external::copy_name(subject_.owner.ref())};
}

// Records that only the copy knows stay in it, but their ids are never signed: anyone may have
// written them.
external::Records ExternalCopy::wanted() const {
  external::Records records;
  const std::optional<external::Copy>& copy = memory_.copy;
  if (copy) {
    records = copy->records;
  }
  if (copy && subject_.signer != nullptr && !copy->is_vouched_for) {
    for (auto& [name, record] : records) {
      record = external::presumed_record(subject_.services.clock.wall());
    }
  }
  for (const auto& [name, record] : subject_.state.externals) {
    if (says_something(record)) {
      records[name] = record;
      records[name].held.clear();
    } else if (!record.is_presumed() && copy && copy->ours.contains(name)) {
      records.erase(name);
    }
  }
  return records;
}

base::Result<Value> ExternalCopy::object(const external::Records& records) const {
  const kube::ObjectRef secret = ref();
  CW_TRY(Value data, external::copy_data(records, subject_.signer));
  Value metadata =
      Value::dict({{"name", Value::string(secret.name)},
                   {"namespace", Value::string(secret.ns)},
                   {"annotations",
                    Value::dict({{kExternalsOf, Value::string(subject_.owner.ref().to_string())}})},
                   {"ownerReferences", Value::list({release::owner_reference(subject_.owner)})}});
  return Value::dict({{"apiVersion", Value::string("v1")},
                      {"kind", Value::string("Secret")},
                      {"metadata", std::move(metadata)},
                      {"type", Value::string(external::kCopyType)},
                      {"data", std::move(data)}});
}

void ExternalCopy::note_written(external::Records records) {
  if (!memory_.copy) {
    memory_.copy.emplace();
  }
  external::Copy& copy = *memory_.copy;
  copy.records = std::move(records);
  copy.is_readable = true;
  copy.is_vouched_for = subject_.signer != nullptr;
}

// Reads the Secret; one that is not there has no records.
base::Status ExternalCopy::read() {
  auto live = subject_.services.client.get(ref(), subject_.call);
  if (!live.ok() && live.error().code() == ErrorCode::kNotFound) {
    memory_.copy.reset();
    return {};
  }
  CW_TRY(const Value secret, std::move(live));
  CW_TRY(memory_.copy, external::read_copy(secret, subject_.signer));
  return {};
}

/// Reports whether the name was free.
base::Result<bool> ExternalCopy::create() {
  external::Records records = wanted();
  CW_TRY(const Value secret, object(records));
  kube::WriteOptions options;
  options.field_manager = fields::kFieldManager;
  auto made = subject_.services.client.create(secret, options, subject_.call);
  if (!made.ok() && made.error().code() == ErrorCode::kAlreadyExists) {
    return false;
  }
  CW_TRY_DISCARD(std::move(made));
  note_written(std::move(records));
  return true;
}

base::Status ExternalCopy::store() {
  if (memory_.copy) {
    CW_TRY(const bool is_there, replace());
    if (is_there) {
      return {};
    }
  }
  CW_TRY(const bool is_new, create());
  if (!is_new) {
    return base::Error(ErrorCode::kConflict, ref().to_string() + " comes and goes");
  }
  return {};
}

/// Reports whether there was one to replace.
base::Result<bool> ExternalCopy::replace() {
  external::Records records = wanted();
  CW_TRY(Value secret, object(records));
  secret.mutable_dict().erase("type");  // It cannot be changed.
  auto patched = subject_.services.client.patch(ref(), {kube::PatchType::kMerge, std::move(secret)},
                                                release::short_reply(), subject_.call);
  if (!patched.ok() && patched.error().code() == ErrorCode::kNotFound) {
    return false;
  }
  if (!patched.ok()) {
    return std::move(patched).error().wrap("write the copy of the records of externals");
  }
  note_written(std::move(records));
  return true;
}

base::Result<Copied> ExternalCopy::write(const std::string& external, Surprise surprise) {
  if (!memory_.copy) {
    CW_TRY(const bool is_new, create());
    if (is_new) {
      memory_.copy->ours.insert(external);
      return Copied::kYes;
    }
    CW_TRY_VOID(read());
  }
  if (memory_.copy && surprise == Surprise::kPossible) {
    const external::Copy& copy = *memory_.copy;
    const auto known = copy.records.find(external);
    const bool knows = !copy.is_readable || (known != copy.records.end() && !known->second.empty());
    if (knows && !copy.ours.contains(external)) {
      return Copied::kKnowsMore;
    }
  }
  CW_TRY_VOID(store());
  memory_.copy->ours.insert(external);
  return Copied::kYes;
}

base::Result<std::optional<external::Record>> ExternalCopy::vouched(const std::string& external) {
  if (subject_.signer == nullptr) {
    return std::optional<external::Record>();
  }
  if (!memory_.copy) {
    CW_TRY_VOID(read());
  }
  if (!memory_.copy || !memory_.copy->is_vouched_for) {
    return std::optional<external::Record>();
  }
  const auto known = memory_.copy->records.find(external);
  return known == memory_.copy->records.end() ? std::optional<external::Record>()
                                              : std::optional(known->second);
}

// At the start of a process, one read.
base::Status ExternalCopy::follow() {
  const bool has_records = has_any(subject_.state.externals);
  if (!memory_.copy && has_records) {
    CW_TRY_VOID(read());
  }
  if (!memory_.copy && !has_records) {
    return {};
  }
  const std::optional<external::Copy>& copy = memory_.copy;
  const bool is_signed = copy && (copy->is_vouched_for || subject_.signer == nullptr);
  if (is_signed && copy->is_readable && copy->records == wanted()) {
    return {};
  }
  return store();
}

base::Status ExternalCopy::remove() {
  if (memory_.is_let_go) {
    return {};
  }
  auto removed = subject_.services.client.remove(ref(), {}, subject_.call);
  if (!removed.ok() && removed.error().code() != ErrorCode::kNotFound) {
    return removed;
  }
  memory_.copy.reset();
  memory_.is_let_go = true;
  return {};
}

}  // namespace chartwright::op
