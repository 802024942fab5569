// SPDX-License-Identifier: Apache-2.0
#include "apiserver/write_query.h"

#include <utility>

#include "apiserver/json_patch.h"
#include "base/strings.h"
#include "value/json.h"
#include "value/merge_patch.h"
#include "views/api_errors.h"
#include "views/object_check.h"
#include "yaml/yaml.h"

namespace chartwright::apiserver {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;
using views::bad_request;
using views::DeleteRequest;
using views::Edit;
using views::invalid_object;
using views::unknown_fields;
using views::unsupported_media_type;
using views::View;
using views::WriteRequest;

Error invalid_option(const std::string& problem) {
  return Error(ErrorCode::kInvalid, "options.meta.k8s.io \"\" is invalid: " + problem)
      .with_http(422, "Invalid");
}

std::string media_type(const runtime::HttpRequest& request) {
  const std::string_view header = request.header("content-type");
  return base::to_lower_ascii(base::trim(header.substr(0, header.find(';'))));
}

base::Result<Value> read_json(const std::string& body) {
  auto parsed = value::parse_json(body, value::Numbers::kInt64, kBodyLimits);
  if (!parsed.ok()) {
    return bad_request("the body is not JSON: " + parsed.error().message());
  }
  return parsed;
}

base::Result<kube::DryRun> read_dry_run(const std::string& text) {
  if (text.empty()) {
    return kube::DryRun::kOff;
  }
  if (text != "All") {
    return invalid_option("dryRun: Unsupported value: \"" + text + "\": supported values: \"All\"");
  }
  return kube::DryRun::kServer;
}

base::Result<kube::Propagation> read_propagation(std::string_view text) {
  for (const auto& [name, policy] : {std::pair{"", kube::Propagation::kDefault},
                                     {"Background", kube::Propagation::kBackground},
                                     {"Foreground", kube::Propagation::kForeground},
                                     {"Orphan", kube::Propagation::kOrphan}}) {
    if (text == name) {
      return policy;
    }
  }
  return invalid_option("propagationPolicy: Unsupported value: \"" + std::string(text) +
                        "\": supported values: \"Foreground\", \"Background\", \"Orphan\"");
}

Error patch_failure(const View& view, const std::string& name, const Error& error) {
  if (error.code() == ErrorCode::kParse) {
    return bad_request("the patch is malformed: " + error.message());
  }
  if (error.code() == ErrorCode::kBudget || error.code() == ErrorCode::kCancelled) {
    return error;
  }
  return invalid_object(view.resource, name, {{"FieldValueInvalid", error.message(), "patch"}});
}

}  // namespace

base::Result<WriteRequest> read_write_request(const Target& target, const ResourcePath& path) {
  WriteRequest request;
  request.ns = path.ns;
  request.name = path.name;
  request.field_manager = target.parameter("fieldManager");
  CW_TRY(request.dry_run, read_dry_run(target.parameter("dryRun")));
  return request;
}

base::Result<FieldPolicy> read_field_policy(const Target& target) {
  const std::string text = target.parameter("fieldValidation");
  for (const auto& [name, policy] : {std::pair{"", FieldPolicy::kWarn},
                                     {"Ignore", FieldPolicy::kIgnore},
                                     {"Warn", FieldPolicy::kWarn},
                                     {"Strict", FieldPolicy::kStrict}}) {
    if (text == name) {
      return policy;
    }
  }
  return invalid_option("fieldValidation: Unsupported value: \"" + text +
                        "\": supported values: \"Ignore\", \"Strict\", \"Warn\"");
}

base::Result<Value> read_object(const runtime::HttpRequest& request, views::Work& work) {
  const std::string type = media_type(request);
  base::Result<Value> object = Value();
  if (type == "application/yaml") {
    object = yaml::parse_yaml(request.body, value::Numbers::kInt64);
    if (!object.ok()) {
      return bad_request("the body is not YAML: " + object.error().message());
    }
    CW_TRY_VOID(check_depth(*object, 0, work));
  } else if (type.empty() || type == "application/json") {
    CW_TRY(object, read_json(request.body));
  } else {
    return unsupported_media_type("the body of the request was in an unknown format (" + type +
                                  "); accepted media types include: application/json, "
                                  "application/yaml");
  }
  if (!object->is_dict()) {
    return bad_request("the body is not an object");
  }
  if (const Value* metadata = object->find("metadata");
      metadata == nullptr || !metadata->is_dict()) {
    object->mutable_dict().set("metadata", Value::dict());
  }
  return object;
}

base::Result<Edit> read_patch(const runtime::HttpRequest& request, const View& view,
                              const std::string& name) {
  const std::string type = media_type(request);
  if (type != "application/merge-patch+json" && type != "application/json-patch+json") {
    return unsupported_media_type("the body of the request was in an unknown format (" + type +
                                  "); accepted media types include: application/json-patch+json, "
                                  "application/merge-patch+json");
  }
  CW_TRY(const Value patch, read_json(request.body));
  if (type == "application/merge-patch+json") {
    if (!patch.is_dict()) {
      return bad_request("a merge patch is an object");
    }
    return Edit([patch](const Value& object, views::Work& work) -> base::Result<Value> {
      CW_TRY_VOID(work.check());
      return value::merge_patched(object, patch);
    });
  }
  return Edit([patch, &view, name](const Value& object, views::Work& work) -> base::Result<Value> {
    auto patched = json_patched(object, patch, work);
    return patched.ok() ? patched : patch_failure(view, name, patched.error());
  });
}

base::Result<DeleteRequest> read_delete_request(const runtime::HttpRequest& request,
                                                const Target& target, const ResourcePath& path) {
  DeleteRequest wanted;
  wanted.ns = path.ns;
  wanted.name = path.name;
  Value options = Value::dict();
  if (!request.body.empty()) {
    const std::string type = media_type(request);
    if (!type.empty() && type != "application/json") {
      return unsupported_media_type("the body of the request was in an unknown format (" + type +
                                    "); accepted media types include: application/json");
    }
    CW_TRY(options, read_json(request.body));
  }
  wanted.uid = options.string_at({"preconditions", "uid"});
  wanted.resource_version = options.string_at({"preconditions", "resourceVersion"});
  std::string policy(options.string_at({"propagationPolicy"}));
  CW_TRY(wanted.propagation,
         read_propagation(policy.empty() ? target.parameter("propagationPolicy") : policy));
  std::string dry_run = target.parameter("dryRun");
  if (const Value* list = options.find("dryRun");
      list != nullptr && list->is_list() && !list->as_list().items.empty()) {
    const Value& first = list->as_list().items.front();
    dry_run = first.is_string() ? first.as_string() : "?";
  }
  CW_TRY(wanted.dry_run, read_dry_run(dry_run));
  return wanted;
}

base::Result<std::vector<std::string>> check_fields(const View& view, const Value& object,
                                                    FieldPolicy policy) {
  std::vector<std::string> warnings;
  if (policy == FieldPolicy::kIgnore) {
    return warnings;
  }
  for (const std::string& field : unknown_fields(view, object)) {
    warnings.push_back("unknown field \"" + field + "\"");
  }
  if (policy == FieldPolicy::kStrict && !warnings.empty()) {
    return bad_request("strict decoding error: " + base::join(warnings, ", "));
  }
  return warnings;
}

}  // namespace chartwright::apiserver
