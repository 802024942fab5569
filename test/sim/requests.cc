// SPDX-License-Identifier: Apache-2.0
#include "test/sim/requests.h"

#include <algorithm>
#include <utility>

#include "kube/object.h"
#include "kube/object_json.h"
#include "value/json.h"

namespace chartwright::sim {
namespace {

using value::Value;
using Verb = Request::Verb;

constexpr const char* kFinalizer = "example.com/hold";

bool one_in(std::mt19937_64& random, unsigned count) { return random() % count == 0; }

Value text(std::string_view of) { return Value::string(std::string(of)); }

std::string_view name_of(Verb verb) {
  switch (verb) {
    case Verb::kCreate:
      return "create";
    case Verb::kUpdate:
      return "update";
    case Verb::kApply:
      return "apply";
    case Verb::kApplyStatus:
      return "apply-status";
    case Verb::kMerge:
      return "merge";
    case Verb::kDelete:
      return "delete";
    case Verb::kList:
      return "list";
  }
  return "";
}

/// A few of the members x, y and z, at least one, each "1" or "2".
Value random_members(std::mt19937_64& random) {
  Value members = Value::dict();
  const uint64_t chosen = 1 + random() % 7;
  for (const auto& [key, bit] : {std::pair("x", 1U), std::pair("y", 2U), std::pair("z", 4U)}) {
    if ((chosen & bit) != 0) {
      members.mutable_dict().set(key, text(one_in(random, 2) ? "1" : "2"));
    }
  }
  return members;
}

Value random_content(std::mt19937_64& random, const Request& request) {
  const bool is_status = request.verb == Verb::kApplyStatus;
  Value content = Value::dict();
  if (request.verb == Verb::kMerge && one_in(random, 2)) {
    Value finalizers =
        Value::list(one_in(random, 2) ? std::vector{text(kFinalizer)} : std::vector<Value>());
    content.mutable_dict().set("metadata", Value::dict({{"finalizers", std::move(finalizers)}}));
    return content;
  }
  if (!is_status && one_in(random, 3)) {
    content.mutable_dict().set("metadata",
                               Value::dict({{"labels", Value::dict({{"app", text("a")}})}}));
  }
  const std::string_view data = request.ref.gvk.kind == "ConfigMap" ? "data" : "spec";
  content.mutable_dict().set(is_status ? "status" : data, random_members(random));
  return content;
}

/// Removes what no two servers have in common.
void strip(Value& metadata) {
  for (const char* key : {"creationTimestamp", "uid", "resourceVersion"}) {
    metadata.mutable_dict().erase(key);
  }
  if (metadata.find("deletionTimestamp") != nullptr) {
    metadata.mutable_dict().set("deletionTimestamp", text("now"));
    metadata.mutable_dict().erase("deletionGracePeriodSeconds");
  }
}

/// "m1 {fields}" of each manager that applies, in order of their names. The model does not know the
/// fields of those that update.
Value managers_of(const Value& metadata) {
  std::map<std::string, Value> entries;
  for (const Value& entry : metadata.items_at({"managedFields"})) {
    if (entry.string_at({"operation"}) == "Apply") {
      const Value* fields = entry.find("fieldsV1");
      entries.emplace(std::string(entry.string_at({"manager"})) + " " +
                          std::string(entry.string_at({"subresource"})),
                      fields == nullptr ? Value() : kube::decode_fields(*fields));
    }
  }
  Value managers = Value::dict();
  for (auto& [name, fields] : entries) {
    managers.mutable_dict().set(name, std::move(fields));
  }
  return managers;
}

std::string shown(const base::Error& error) {
  return std::string(to_string(error.code())) + " " + std::to_string(error.http_status()) + " " +
         error.reason();
}

}  // namespace

std::string to_text(const Request& request) {
  std::string line = std::string(name_of(request.verb)) + " " + request.ref.to_string();
  line += request.manager.empty() ? "" : " by " + request.manager;
  line += request.dry ? " dry" : "";
  line += request.version == Request::Version::kCurrent ? " current-version" : "";
  line += request.version == Request::Version::kOld ? " old-version" : "";
  line += request.uid == Request::Uid::kRight ? " right-uid" : "";
  line += request.uid == Request::Uid::kWrong ? " wrong-uid" : "";
  return request.content.is_nil() ? line : line + " " + CW_MUST(value::to_json(request.content));
}

Request random_request(std::mt19937_64& random, const std::vector<kube::ObjectRef>& refs) {
  static const std::vector<Verb> verbs = {
      Verb::kCreate, Verb::kUpdate, Verb::kApply,  Verb::kApply,  Verb::kApply, Verb::kApplyStatus,
      Verb::kMerge,  Verb::kMerge,  Verb::kDelete, Verb::kDelete, Verb::kList};
  Request request;
  request.verb = verbs[random() % verbs.size()];
  request.ref = refs[random() % refs.size()];
  if (request.verb == Verb::kApplyStatus && request.ref.gvk.group.empty()) {
    request.verb = Verb::kApply;
  }
  if (request.verb == Verb::kList) {
    return request;
  }
  if (request.verb != Verb::kDelete) {
    request.manager = one_in(random, 2) ? "m1" : "m2";
  }
  request.dry = one_in(random, 6);
  if (request.verb != Verb::kCreate) {
    request.version = static_cast<Request::Version>(random() % 3);
    request.uid =
        one_in(random, 5) ? Request::Uid::kWrong : static_cast<Request::Uid>(random() % 2);
  }
  if (request.verb != Verb::kDelete) {
    request.content = random_content(random, request);
  }
  return request;
}

std::string Side::shown(const kube::ObjectRef& ref, const Value& object, bool dry) {
  const Known& known = known_[ref];
  const std::string uid(kube::uid_of(object));
  const std::string version(kube::resource_version_of(object));
  std::string line = "dry";
  if (!dry) {
    line = uids_.try_emplace(uid, "uid " + std::to_string(uids_.size() + 1)).first->second;
    line += version == known.version ? " same" : " changed";
    line += kube::is_older_version(version, known.version) ? " back" : "";
  }
  Value copy = value::deep_copy(object);
  Value& metadata = *copy.mutable_dict().find("metadata");
  const Value managers = managers_of(metadata);
  strip(metadata);
  metadata.mutable_dict().set("managedFields", managers);
  return line + " " + CW_MUST(value::to_json(copy));
}

Value Side::body_of(const Request& request) {
  const Known& known = known_[request.ref];
  Value body = request.content.is_nil() ? Value::dict() : value::deep_copy(request.content);
  if (request.verb != Verb::kMerge) {
    body.mutable_dict().set("apiVersion", text(request.ref.gvk.api_version()));
    body.mutable_dict().set("kind", text(request.ref.gvk.kind));
  }
  Value& metadata = body.mutable_dict().at_or_insert("metadata");
  metadata = metadata.is_dict() ? metadata : Value::dict();
  if (request.verb != Verb::kMerge) {
    metadata.mutable_dict().set("namespace", text(request.ref.ns));
    metadata.mutable_dict().set("name", text(request.ref.name));
  }
  if (request.version != Request::Version::kNone) {
    const bool is_current = request.version == Request::Version::kCurrent && !known.version.empty();
    metadata.mutable_dict().set("resourceVersion", text(is_current ? known.version : "1"));
  }
  if (request.uid != Request::Uid::kNone) {
    const bool is_right = request.uid == Request::Uid::kRight && !known.uid.empty();
    metadata.mutable_dict().set("uid", text(is_right ? known.uid : "another"));
  }
  return body;
}

void Side::remove(const kube::ObjectRef& ref) {
  const Value freed = Value::dict({{"metadata", Value::dict({{"finalizers", Value::list({})}})}});
  static_cast<void>(client_.patch(ref, {kube::PatchType::kMerge, freed}, {}, {}));
  static_cast<void>(client_.remove(ref, {}, {}));
}

std::string Side::look(const kube::ObjectRef& ref) {
  const auto object = client_.get(ref, {});
  if (!object.ok()) {
    known_[ref] = {};
    return sim::shown(object.error());
  }
  std::string line = shown(ref, *object, false);
  known_[ref] = {std::string(kube::uid_of(*object)),
                 std::string(kube::resource_version_of(*object))};
  return line;
}

std::string Side::send(const Request& request) {
  const kube::DryRun dry = request.dry ? kube::DryRun::kServer : kube::DryRun::kOff;
  const kube::WriteOptions options = {.field_manager = request.manager, .dry_run = dry};
  const auto answer = [&](const base::Result<Value>& object) {
    return object.ok() ? "ok " + shown(request.ref, *object, request.dry)
                       : sim::shown(object.error());
  };
  switch (request.verb) {
    case Verb::kCreate:
      return answer(client_.create(body_of(request), options, {}));
    case Verb::kUpdate:
      return answer(client_.update(body_of(request), options, {}));
    case Verb::kMerge:
      return answer(
          client_.patch(request.ref, {kube::PatchType::kMerge, body_of(request)}, options, {}));
    case Verb::kApply:
    case Verb::kApplyStatus: {
      const bool is_status = request.verb == Verb::kApplyStatus;
      const auto applied = client_.apply(
          body_of(request),
          {.field_manager = request.manager,
           .force = kube::Force::kYes,
           .subresource = is_status ? kube::Subresource::kStatus : kube::Subresource::kNone,
           .dry_run = dry},
          {});
      return applied.ok() ? std::string(applied->created ? "created " : "ok ") +
                                shown(request.ref, applied->object, request.dry)
                          : sim::shown(applied.error());
    }
    case Verb::kDelete: {
      const Value body = body_of(request);
      const base::Status removed = client_.remove(
          request.ref,
          {.uid = std::string(body.string_at({"metadata", "uid"})),
           .resource_version = std::string(body.string_at({"metadata", "resourceVersion"})),
           .dry_run = dry},
          {});
      return removed.ok() ? "ok" : sim::shown(removed.error());
    }
    case Verb::kList: {
      const auto page = client_.list(
          request.ref.gvk, {.selection = {.ns = request.ref.ns, .label_selector = "app=a"}}, {});
      if (!page.ok()) {
        return sim::shown(page.error());
      }
      std::string names;
      const std::string sequence = request.ref.name.substr(0, request.ref.name.find('-') + 1);
      for (const Value& item : page->items) {
        const std::string_view name = kube::name_of(item);
        names += name.starts_with(sequence) ? " " + std::string(name) : "";
      }
      return "ok" + names;
    }
  }
  return "";
}

}  // namespace chartwright::sim
