// SPDX-License-Identifier: Apache-2.0
#include "kube/client.h"

#include <utility>

#include "base/json_text.h"
#include "base/strings.h"
#include "kube/api_status.h"
#include "kube/object_json.h"
#include "kube/query.h"
#include "kube/watch_decoder.h"
#include "value/json.h"

namespace chartwright::kube {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;
using value::Value;

/// The target of a call, and its description in errors.
struct HttpClient::Target {
  ResourceMapping mapping;
  ObjectRef ref;
  std::string_view verb;
  base::MonotonicTime began;  ///< When the call began, before its kind was looked up.
  Asked asked() const { return {verb, ref}; }
  std::string collection() const { return mapping.path(ref.ns, ""); }
  std::string object(Subresource subresource) const {
    return mapping.path(ref.ns, ref.name) + (subresource == Subresource::kStatus ? "/status" : "");
  }
};

namespace {

// Several times what etcd takes; aggregated servers may store elsewhere.
constexpr size_t kObjectBytesMax = size_t{16} << 20;

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kApply = "application/apply-patch+yaml";
constexpr std::string_view kMergePatch = "application/merge-patch+json";
constexpr std::string_view kJsonPatch = "application/json-patch+json";

std::string_view to_string(FieldValidation validation) {
  switch (validation) {
    case FieldValidation::kStrict:
      return "Strict";
    case FieldValidation::kWarn:
      return "Warn";
    case FieldValidation::kIgnore:
      return "Ignore";
  }
  return "Strict";
}

std::string_view to_string(Propagation propagation) {
  switch (propagation) {
    case Propagation::kDefault:
      return "";
    case Propagation::kBackground:
      return "Background";
    case Propagation::kForeground:
      return "Foreground";
    case Propagation::kOrphan:
      return "Orphan";
  }
  return "";
}

template <typename Options>
Query write_query(const Options& options) {
  Query query;
  query.add("fieldManager", options.field_manager);
  query.add("fieldValidation", to_string(options.validation));
  query.add("dryRun", options.dry_run == DryRun::kServer ? "All" : "");
  return query;
}

Query select_query(const Selection& selection) {
  Query query;
  query.add("labelSelector", selection.label_selector);
  query.add("fieldSelector", selection.field_selector);
  return query;
}

Result<Request> body_request(Method method, std::string target, std::string_view content_type,
                             const Value& body) {
  Request request;
  request.method = method;
  request.target = std::move(target);
  request.content_type = content_type;
  CW_TRY(request.body, value::to_json(body, value::JsonEscape::kNone));
  return request;
}

std::string_view accept_for(Reply reply) {
  return reply == Reply::kMetadata ? "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
                                   : "application/json";
}

std::string_view accept_for_list(Reply reply) {
  return reply == Reply::kMetadata
             ? "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
             : "application/json";
}

Error unusable_answer(const Asked& asked, std::string_view problem) {
  return Error(ErrorCode::kUnavailable, std::string(asked.verb) + " " + asked.ref.to_string() +
                                            ": the server's answer " + std::string(problem));
}

Result<Value> decoded(const Asked& asked, Result<Value> object) {
  if (!object.ok()) {
    return error_from_decoding(asked, object.error());
  }
  return object->is_dict() ? std::move(object) : unusable_answer(asked, "is not an object");
}

Result<Value> decode(const Asked& asked, const Response& response,
                     size_t max_bytes = value::JsonLimits().max_bytes) {
  const value::JsonLimits limits{.max_bytes = max_bytes};
  return decoded(asked, value::parse_json(response.body, value::Numbers::kInt64, limits));
}

/// Sets apiVersion and kind of a list item, which the list states only once. An item that is
/// nothing but metadata states another kind.
void name_kind(Value& item, const Gvk& gvk, Reply reply) {
  if (reply == Reply::kMetadata || item.find("kind") == nullptr) {
    item.mutable_dict().set("apiVersion", Value::string(gvk.api_version()));
    item.mutable_dict().set("kind", Value::string(gvk.kind));
  }
}

/// Rejects a string that is not a segment of a path, in client-go's words. Accepts "".
/// Source: client-go dynamic/simple.go validateNamespaceWithOptionalName.
Status check_segment(std::string_view what, std::string_view text) {
  if (text.empty() || is_path_segment(text)) {
    return {};
  }
  std::vector<std::string> faults;
  if (text == "." || text == "..") {
    faults.push_back("may not be '" + std::string(text) + "'");
  }
  for (const char c : {'/', '%'}) {
    if (text.find(c) != std::string_view::npos) {
      faults.push_back(std::string("may not contain '") + c + "'");
    }
  }
  std::string message = "invalid " + std::string(what) + " ";
  base::append_json_string(message, text, base::JsonEscape::kNone);
  return Error(ErrorCode::kInvalid, message + ": [" + base::join(faults, " ") + "]");
}

}  // namespace

HttpClient::HttpClient(Transport& transport, RestMapper& mapper, base::Clock& clock)
    : transport_(transport), mapper_(mapper), clock_(clock) {}

Result<HttpClient::Target> HttpClient::locate(const ObjectRef& ref, std::string_view verb,
                                              const Call& call) {
  const base::MonotonicTime began = clock_.monotonic();
  CW_TRY(ResourceMapping mapping, mapper_.mapping_for(ref.gvk, call));
  Target target{std::move(mapping), ref, verb, began};
  if (target.mapping.scope == Scope::kCluster) {
    target.ref.ns.clear();
  }
  Status sound = check_segment("namespace", target.ref.ns);
  if (sound.ok()) {
    sound = check_segment("resource name", target.ref.name);
  }
  if (!sound.ok()) {
    return std::move(sound).error().wrap(std::string(verb) + " " + ref.to_string());
  }
  return target;
}

/// Like locate(), for calls that address one object.
Result<HttpClient::Target> HttpClient::locate_object(const ObjectRef& ref, std::string_view verb,
                                                     const Call& call) {
  CW_TRY(Target target, locate(ref, verb, call));
  const bool needs_namespace = target.mapping.scope == Scope::kNamespaced && target.ref.ns.empty();
  if (target.ref.name.empty() || needs_namespace) {
    return Error(ErrorCode::kInvalid, std::string(verb) + " " + ref.to_string() +
                                          ": the object has no " +
                                          (needs_namespace ? "namespace" : "name"));
  }
  return target;
}

Result<Response> HttpClient::send(const Target& target, Request request, const Call& call) {
  const Call rest = rest_of(call, target.began, clock_);
  CW_TRY(Response response, transport_.perform(std::move(request), rest));
  if (response.status >= 200 && response.status <= 299) {
    return response;
  }
  return failure(target, response);
}

base::Error HttpClient::failure(const Target& target, const Response& response) {
  Error error = error_from_response(target.asked(), response);
  if (!is_unknown_path(error) || !target.mapping.is_remembered) {
    return error;
  }
  return Error(ErrorCode::kUnavailable, error.message() + ": it was served before, and " +
                                            target.mapping.gvk.api_version() + " does not answer")
      .with_http(error.http_status(), {});
}

Result<ResourceMapping> HttpClient::mapping_for(const Gvk& gvk, const Call& call) {
  return mapper_.mapping_for(gvk, call);
}

Result<ResourceMapping> HttpClient::preferred_mapping(const GroupKind& kind, const Call& call) {
  return mapper_.preferred_mapping(kind, call);
}

Result<Value> HttpClient::schema_of(const Gvk& gvk, const Call& call) {
  return mapper_.schema_of(gvk, call);
}

Status HttpClient::refresh_kinds(base::Duration age, const Call& call) {
  return mapper_.refresh(age, call);
}

Result<Value> HttpClient::get(const ObjectRef& ref, const Call& call) {
  CW_TRY(const Target target, locate_object(ref, "get", call));
  Request request;
  request.target = target.object(Subresource::kNone);
  request.max_response_bytes = kObjectBytesMax;
  CW_TRY(const Response response, send(target, std::move(request), call));
  return decode(target.asked(), response);
}

Result<ListPage> HttpClient::list(const Gvk& gvk, const ListOptions& options, const Call& call) {
  CW_TRY(const Target target, locate({gvk, options.selection.ns, ""}, "list", call));
  Query query = select_query(options.selection);
  query.add("resourceVersion", options.resource_version);
  query.add("resourceVersionMatch", options.version_match == VersionMatch::kExact ? "Exact" : "");
  query.add("limit", options.limit > 0 ? std::to_string(options.limit) : "");
  query.add("continue", options.continue_token);
  Request request;
  request.target = query.append_to(target.collection());
  request.accept = accept_for_list(options.reply);
  request.max_response_bytes = options.bytes_max;
  CW_TRY(const Response response, send(target, std::move(request), call));
  CW_TRY(const Value list, decode(target.asked(), response, options.bytes_max));
  ListPage page;
  page.resource_version = list.string_at({"metadata", "resourceVersion"});
  page.continue_token = list.string_at({"metadata", "continue"});
  const Value* items = list.find("items");
  if (items == nullptr || (!items->is_list() && !items->is_nil())) {
    // If it were taken for an empty list, all objects would seem to be deleted.
    return unusable_answer(target.asked(), "is not a list");
  }
  if (items->is_list()) {
    page.items = items->as_list().items;
    for (Value& item : page.items) {
      if (!item.is_dict()) {
        return unusable_answer(target.asked(), "has an item that is not an object");
      }
      name_kind(item, gvk, options.reply);
    }
  }
  return page;
}

Status HttpClient::watch(const Gvk& gvk, const WatchOptions& options, std::stop_token stop,
                         const WatchSink& sink) {
  const Call call{stop, options.limits.response};
  CW_TRY(const Target target, locate({gvk, options.selection.ns, ""}, "watch", call));
  Query query = select_query(options.selection);
  query.add("watch", "true");
  query.add("allowWatchBookmarks", "true");
  query.add("resourceVersion", options.resource_version);
  query.add("timeoutSeconds", std::to_string(options.timeout_s));
  if (options.send_initial_events == SendInitialEvents::kYes) {
    query.add("sendInitialEvents", "true");
    query.add("resourceVersionMatch", "NotOlderThan");
  }
  Request request;
  request.target = query.append_to(target.collection());
  WatchDecoder decoder(target.asked(), sink);
  bool accepted = false;
  const auto on_chunk = [&decoder, &accepted, &options](std::string_view chunk) {
    if (!std::exchange(accepted, true) && options.on_accepted) {
      options.on_accepted();
    }
    return decoder.feed(chunk);
  };
  CW_TRY(const Response response,
         transport_.stream(std::move(request), options.limits, stop, on_chunk));
  if (response.status != 200) {
    return failure(target, response);
  }
  return decoder.finish();
}

Result<Value> HttpClient::create(const Value& object, const WriteOptions& options,
                                 const Call& call) {
  CW_TRY(const Target target, locate(ref_of(object), "create", call));
  CW_TRY(Request request,
         body_request(Method::kPost, write_query(options).append_to(target.collection()), kJson,
                      object));
  request.accept = accept_for(options.reply);
  CW_TRY(const Response response, send(target, std::move(request), call));
  return decode(target.asked(), response);
}

Result<Value> HttpClient::update(const Value& object, const WriteOptions& options,
                                 const Call& call) {
  CW_TRY(const Target target, locate_object(ref_of(object), "update", call));
  const std::string path = write_query(options).append_to(target.object(options.subresource));
  CW_TRY(Request request, body_request(Method::kPut, path, kJson, object));
  request.accept = accept_for(options.reply);
  CW_TRY(const Response response, send(target, std::move(request), call));
  return decode(target.asked(), response);
}

Result<Applied> HttpClient::apply(const Value& object, const ApplyOptions& options,
                                  const Call& call) {
  CW_TRY(const Target target, locate_object(ref_of(object), "apply", call));
  Query query = write_query(options);
  query.add("force", options.force == Force::kYes ? "true" : "");
  const std::string path = query.append_to(target.object(options.subresource));
  CW_TRY(Request request, body_request(Method::kPatch, path, kApply, object));
  request.accept = accept_for(options.reply);
  CW_TRY(const Response response, send(target, std::move(request), call));
  CW_TRY(Value live, decoded(target.asked(), kube::parse_object_json(response.body)));
  return Applied{std::move(live), response.status == 201};
}

Result<Value> HttpClient::patch(const ObjectRef& ref, const Patch& patch,
                                const WriteOptions& options, const Call& call) {
  CW_TRY(const Target target, locate_object(ref, "patch", call));
  const std::string path = write_query(options).append_to(target.object(options.subresource));
  const std::string_view type = patch.type == PatchType::kJson ? kJsonPatch : kMergePatch;
  CW_TRY(Request request, body_request(Method::kPatch, path, type, patch.body));
  request.accept = accept_for(options.reply);
  CW_TRY(const Response response, send(target, std::move(request), call));
  return decode(target.asked(), response);
}

Status HttpClient::remove(const ObjectRef& ref, const DeleteOptions& options, const Call& call) {
  CW_TRY(const Target target, locate_object(ref, "delete", call));
  Value body =
      Value::dict({{"apiVersion", Value::string("v1")}, {"kind", Value::string("DeleteOptions")}});
  const auto set = [](const Value& dict, std::string_view key, std::string_view text) {
    if (!text.empty()) {
      dict.mutable_dict().set(key, Value::string(text));
    }
  };
  const Value preconditions = Value::dict();
  set(preconditions, "uid", options.uid);
  set(preconditions, "resourceVersion", options.resource_version);
  if (!preconditions.as_dict().empty()) {
    body.mutable_dict().set("preconditions", preconditions);
  }
  set(body, "propagationPolicy", to_string(options.propagation));
  if (options.dry_run == DryRun::kServer) {
    body.mutable_dict().set("dryRun", Value::list({Value::string("All")}));
  }
  CW_TRY(Request request,
         body_request(Method::kDelete, target.object(Subresource::kNone), kJson, body));
  CW_TRY_DISCARD(send(target, std::move(request), call));
  return {};
}

}  // namespace chartwright::kube
