// SPDX-License-Identifier: Apache-2.0
#include "views/object_check.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "helm/schema/error.h"
#include "kube/names.h"
#include "views/api_errors.h"

namespace chartwright::views {
namespace {

using value::Value;

constexpr int kDepthMax = 64;
constexpr size_t kUnknownMax = 20;
// A list of a million wrong items has as many faults.
constexpr size_t kCausesMax = 100;

/// Collects the members that neither `properties` nor `additionalProperties` allows for.
class UnknownFields {
 public:
  void look(const Value& schema, const Value& value, const std::string& path, int depth) {
    if (depth > kDepthMax || schema.bool_at({"x-kubernetes-preserve-unknown-fields"})) {
      return;
    }
    if (value.is_list()) {
      look_at_items(schema, value, path, depth);
    } else if (value.is_dict()) {
      look_at_members(schema, value, path, depth);
    }
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  void look_at_items(const Value& schema, const Value& value, const std::string& path, int depth) {
    const Value* items = schema.find("items");
    if (items == nullptr) {
      return;
    }
    size_t i = 0;
    for (const Value& item : value.as_list().items) {
      look(*items, item, path + "[" + std::to_string(i++) + "]", depth + 1);
    }
  }

  void look_at_members(const Value& schema, const Value& value, const std::string& path,
                       int depth) {
    const Value* properties = schema.find("properties");
    const Value* more = schema.find("additionalProperties");
    if (properties == nullptr && more == nullptr) {
      return;  // Says nothing about members.
    }
    for (const auto& [key, member] : value.as_dict()) {
      const std::string at = path.empty() ? key : path + "." + key;
      const Value* known = properties == nullptr ? nullptr : properties->find(key);
      if (known != nullptr) {
        look(*known, member, at, depth + 1);
      } else if (more != nullptr && more->is_dict()) {
        look(*more, member, at, depth + 1);
      } else if (!schema.bool_at({"additionalProperties"}) && found_.size() < kUnknownMax &&
                 !is_standard(path, key)) {
        found_.push_back(at);
      }
    }
  }

  static bool is_standard(const std::string& path, const std::string& key) {
    return path.empty() && (key == "apiVersion" || key == "kind" || key == "metadata");
  }

  std::vector<std::string> found_;
};

/// Adds the faults that have no causes of their own: the others only group them.
void add_causes(const std::vector<helm::SchemaFault>& faults, int depth,
                std::vector<base::ErrorCause>& causes) {
  for (const helm::SchemaFault& fault : faults) {
    if (causes.size() >= kCausesMax) {
      return;
    }
    if (!fault.causes.empty() && depth < kDepthMax) {
      add_causes(fault.causes, depth + 1, causes);
      continue;
    }
    const std::string_view pointer = fault.location;
    const std::string field = base::replace_all(pointer.substr(pointer.empty() ? 0 : 1), "/", ".");
    causes.push_back({"FieldValueInvalid", fault.text, field.empty() ? "object" : field});
  }
}

base::Status check_schema(const View& view, const Value& object) {
  if (view.validator == nullptr) {
    return {};
  }
  auto faults = view.validator->faults(object);
  if (!faults.ok()) {
    return bad_request(faults.error().message());
  }
  std::vector<base::ErrorCause> causes;
  add_causes(*faults, 0, causes);
  if (causes.empty()) {
    return {};
  }
  return invalid_object(view.resource, kube::name_of(object), std::move(causes));
}

}  // namespace

bool is_text_map(const Value& value) {
  if (!value.is_dict()) {
    return value.is_nil();
  }
  return std::ranges::all_of(value.as_dict(),
                             [](const auto& member) { return member.second.is_string(); });
}

base::Status check_object(const View& view, const Value& object, const std::string& ns) {
  const Resource& resource = view.resource;
  if (!object.is_dict() || kube::gvk_of(object) != resource.gvk()) {
    return bad_request("the object is no " + resource.kind + " of " + resource.api_version());
  }
  const std::string_view own = kube::namespace_of(object);
  if (!own.empty() && own != ns) {
    return bad_request(
        "the namespace of the provided object does not match the namespace sent on "
        "the request");
  }
  for (const std::string_view key : {"labels", "annotations"}) {
    const Value* texts = object.find_path({"metadata", key});
    if (texts != nullptr && !is_text_map(*texts)) {
      return bad_request("metadata." + std::string(key) + " is not a mapping to texts");
    }
  }
  const std::string name(kube::name_of(object));
  if (!kube::is_dns_subdomain(name)) {
    return invalid_object(resource, name,
                          {{name.empty() ? "FieldValueRequired" : "FieldValueInvalid",
                            name.empty() ? "Required value: name or generateName is required"
                                         : "Invalid value: \"" + name +
                                               "\": a lowercase RFC 1123 subdomain is needed, such "
                                               "as \"dolly\"",
                            "metadata.name"}});
  }
  return check_schema(view, object);
}

std::vector<std::string> unknown_fields(const View& view, const Value& object) {
  UnknownFields found;
  if (view.schema) {
    found.look(*view.schema, object, "", 0);
  }
  return found.take();
}

}  // namespace chartwright::views
