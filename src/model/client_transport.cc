// SPDX-License-Identifier: Apache-2.0
#include "model/client_transport.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/strings.h"
#include "value/json.h"

namespace chartwright::model {

using apiserver::Target;
using base::Error;
using base::ErrorCode;
using base::Result;
using kube::Request;
using kube::Response;
using value::Value;

namespace {

Result<Response> json_response(int status, const Value& body) {
  CW_TRY(std::string text, value::to_json(body, value::JsonEscape::kNone));
  return Response{.status = status, .body = std::move(text)};
}

Value text(std::string_view of) { return Value::string(std::string(of)); }

/// The metav1.Status of an error.
Value status_of(const Error& error) {
  std::vector<Value> causes;
  for (const base::ErrorCause& cause : error.causes()) {
    causes.push_back(Value::dict({{"reason", text(cause.reason)},
                                  {"message", text(cause.message)},
                                  {"field", text(cause.field)}}));
  }
  return Value::dict({{"kind", text("Status")},
                      {"apiVersion", text("v1")},
                      {"status", text("Failure")},
                      {"message", text(error.message())},
                      {"reason", text(error.reason())},
                      {"code", Value::integer(error.http_status())},
                      {"details", Value::dict({{"causes", Value::list(std::move(causes))}})}});
}

/// The answer that an error is; an error without a status is one of the connection.
Result<Response> failed(Error error) {
  return error.http_status() == 0 ? Result<Response>(std::move(error))
                                  : json_response(error.http_status(), status_of(error));
}

/// The error for a path that the server does not know.
Error unknown_path() {
  return Error(ErrorCode::kNotFound, "404 page not found").with_http(404, "NotFound");
}

bool wants_metadata(const Request& request) {
  return request.accept.find("as=PartialObjectMetadata") != std::string::npos;
}

/// The object in the form that the request accepts.
Value shown(const Request& request, Value object) {
  if (!wants_metadata(request)) {
    return object;
  }
  return Value::dict({{"apiVersion", text("meta.k8s.io/v1")},
                      {"kind", text("PartialObjectMetadata")},
                      {"metadata", *object.find("metadata")}});
}

Result<Response> object_response(const Request& request, Result<Value> object, int status = 200) {
  return object.ok() ? json_response(status, shown(request, *std::move(object)))
                     : failed(std::move(object).error());
}

kube::DryRun dry_run_of(const Target& target) {
  return target.parameter("dryRun") == "All" ? kube::DryRun::kServer : kube::DryRun::kOff;
}

kube::Selection selection_of(const Target& target, const std::string& ns) {
  return {ns, target.parameter("labelSelector"), target.parameter("fieldSelector")};
}

kube::DeleteOptions delete_options_of(const Value& body) {
  kube::DeleteOptions options;
  options.uid = body.string_at({"preconditions", "uid"});
  options.resource_version = body.string_at({"preconditions", "resourceVersion"});
  const std::map<std::string_view, kube::Propagation> policies = {
      {"Background", kube::Propagation::kBackground},
      {"Foreground", kube::Propagation::kForeground},
      {"Orphan", kube::Propagation::kOrphan}};
  const auto policy = policies.find(body.string_at({"propagationPolicy"}));
  options.propagation = policy == policies.end() ? kube::Propagation::kDefault : policy->second;
  options.dry_run = body.find("dryRun") != nullptr ? kube::DryRun::kServer : kube::DryRun::kOff;
  return options;
}

Value list_of(const Request& request, kube::ListPage page) {
  for (Value& item : page.items) {
    item = shown(request, std::move(item));
  }
  return Value::dict({{"kind", text("List")},
                      {"apiVersion", text("v1")},
                      {"metadata", Value::dict({{"resourceVersion", text(page.resource_version)},
                                                {"continue", text(page.continue_token)}})},
                      {"items", Value::list(std::move(page.items))}});
}

std::string_view name_of(kube::WatchFrame::Type type) {
  switch (type) {
    case kube::WatchFrame::Type::kAdded:
      return "ADDED";
    case kube::WatchFrame::Type::kModified:
      return "MODIFIED";
    case kube::WatchFrame::Type::kDeleted:
      return "DELETED";
    case kube::WatchFrame::Type::kBookmark:
      return "BOOKMARK";
  }
  return "";
}

kube::WatchOptions watch_options_of(const Target& target, const std::string& ns) {
  kube::WatchOptions options;
  options.selection = selection_of(target, ns);
  options.resource_version = target.parameter("resourceVersion");
  options.timeout_s = base::parse_int(target.parameter("timeoutSeconds")).value_or(290);
  options.send_initial_events = target.flag("sendInitialEvents") ? kube::SendInitialEvents::kYes
                                                                 : kube::SendInitialEvents::kNo;
  return options;
}

/// Returns the rest of a call as one of its own.
kube::Call rest_of(const kube::Call& call) { return {call.stop, call.timeout - call.spent}; }

}  // namespace

// The paths of the core group have no group in them.
Result<ClientTransport::Place> ClientTransport::place_of(const Target& target) const {
  std::vector<std::string> segments = target.segments;
  if (!segments.empty() && segments.front() == "api") {
    segments.front() = "apis";
    segments.insert(segments.begin() + 1, "");
  }
  Place place;
  const size_t object_segments = segments.size() > 3 && segments[3] == "namespaces" ? 7 : 5;
  if (segments.size() == object_segments + 1 && segments.back() == "status") {
    place.subresource = kube::Subresource::kStatus;
    segments.pop_back();
  }
  const auto path = apiserver::parse_resource_path(segments);
  if (!path) {
    return unknown_path();
  }
  const auto kind = std::ranges::find_if(kinds_, [&path](const kube::ResourceMapping& one) {
    return one.gvk.group == path->group && one.gvk.version == path->version &&
           one.plural == path->plural;
  });
  if (kind == kinds_.end()) {
    return unknown_path();
  }
  place.ref = {kind->gvk, path->ns, path->name};
  return place;
}

Value ClientTransport::groups(bool of_core) const {
  std::map<std::string, std::map<std::string, std::vector<Value>>> groups;
  for (const kube::ResourceMapping& kind : kinds_) {
    if (kind.gvk.group.empty() == of_core) {
      const Value response_kind = Value::dict({{"group", text(kind.gvk.group)},
                                               {"version", text(kind.gvk.version)},
                                               {"kind", text(kind.gvk.kind)}});
      Value subresources =
          Value::list(kind.has_status ? std::vector{Value::dict({{"subresource", text("status")},
                                                                 {"responseKind", response_kind}})}
                                      : std::vector<Value>());
      groups[kind.gvk.group][kind.gvk.version].push_back(Value::dict(
          {{"resource", text(kind.plural)},
           {"responseKind", response_kind},
           {"scope", text(kind.scope == kube::Scope::kCluster ? "Cluster" : "Namespaced")},
           {"subresources", std::move(subresources)}}));
    }
  }
  std::vector<Value> items;
  for (const auto& [group, of_group] : groups) {
    std::vector<Value> versions;
    for (const auto& [version, resources] : of_group) {
      versions.push_back(
          Value::dict({{"version", text(version)}, {"resources", Value::list(resources)}}));
    }
    items.push_back(Value::dict({{"metadata", Value::dict({{"name", text(group)}})},
                                 {"versions", Value::list(std::move(versions))}}));
  }
  return Value::dict(
      {{"kind", text("APIGroupDiscoveryList")}, {"items", Value::list(std::move(items))}});
}

Result<Response> ClientTransport::discover(const Target& target, const kube::Call& call) {
  if (target.path == "/version") {
    return json_response(
        200, Value::dict(
                 {{"major", text("1")}, {"minor", text("36")}, {"gitVersion", text("v1.36.0")}}));
  }
  if (target.path != "/api" && target.path != "/apis") {
    return unknown_path();
  }
  CW_TRY_VOID(client_.refresh_kinds({}, call));
  return json_response(200, groups(target.path == "/api"));
}

Result<Response> ClientTransport::read(const Request& request, const Target& target,
                                       const Place& place, const kube::Call& call) {
  if (!place.ref.name.empty()) {
    return object_response(request, client_.get(place.ref, call));
  }
  kube::ListOptions options;
  options.selection = selection_of(target, place.ref.ns);
  options.resource_version = target.parameter("resourceVersion");
  options.limit = base::parse_int(target.parameter("limit")).value_or(0);
  options.continue_token = target.parameter("continue");
  options.bytes_max = request.max_response_bytes;
  CW_TRY(kube::ListPage page, client_.list(place.ref.gvk, options, call));
  return json_response(200, list_of(request, std::move(page)));
}

Result<Response> ClientTransport::patch(const Request& request, const Target& target,
                                        const Place& place, const Value& body,
                                        const kube::Call& call) {
  const std::string manager = target.parameter("fieldManager");
  if (request.content_type == "application/apply-patch+yaml") {
    kube::ApplyOptions options;
    options.field_manager = manager;
    options.force = target.flag("force") ? kube::Force::kYes : kube::Force::kNo;
    options.subresource = place.subresource;
    options.dry_run = dry_run_of(target);
    CW_TRY(kube::Applied applied, client_.apply(body, options, call));
    return object_response(request, std::move(applied.object), applied.created ? 201 : 200);
  }
  const bool is_json = request.content_type == "application/json-patch+json";
  return object_response(
      request,
      client_.patch(place.ref, {is_json ? kube::PatchType::kJson : kube::PatchType::kMerge, body},
                    {.field_manager = manager,
                     .subresource = place.subresource,
                     .dry_run = dry_run_of(target)},
                    call));
}

base::Status ClientTransport::charge(const Request& request) {
  if (request.body.size() > kBodyMax) {
    return Error(ErrorCode::kBudget, "limit is " + std::to_string(kBodyMax) + " bytes")
        .with_http(413, "RequestEntityTooLarge");
  }
  if ((written_ += request.body.size()) > kWrittenMax) {
    return Error(ErrorCode::kBudget, "the server in memory takes no more than " +
                                         std::to_string(kWrittenMax) + " bytes")
        .with_http(507, "InsufficientStorage");
  }
  return {};
}

Result<Response> ClientTransport::write(const Request& request, const Target& target,
                                        const Place& place, const kube::Call& call) {
  CW_TRY_VOID(charge(request));
  auto parsed = value::parse_json(request.body, value::Numbers::kInt64);
  if (!parsed.ok()) {
    return Error(ErrorCode::kParse, parsed.error().message()).with_http(400, "BadRequest");
  }
  const Value& body = *parsed;
  const kube::WriteOptions options = {.field_manager = target.parameter("fieldManager"),
                                      .subresource = place.subresource,
                                      .dry_run = dry_run_of(target)};
  switch (request.method) {
    case kube::Method::kPost:
      return object_response(request, client_.create(body, options, call), 201);
    case kube::Method::kPut:
      return object_response(request, client_.update(body, options, call));
    case kube::Method::kPatch:
      return patch(request, target, place, body, call);
    case kube::Method::kDelete:
      CW_TRY_VOID(client_.remove(place.ref, delete_options_of(body), call));
      return json_response(200, Value::dict({{"kind", text("Status")},
                                             {"apiVersion", text("v1")},
                                             {"status", text("Success")}}));
    case kube::Method::kGet:
      break;
  }
  return unknown_path();
}

Result<Response> ClientTransport::answer(const Request& request, const kube::Call& call) {
  CW_TRY(const Target target, apiserver::parse_target(request.target));
  const auto place = place_of(target);
  if (!place.ok()) {
    return discover(target, call);
  }
  return request.method == kube::Method::kGet ? read(request, target, *place, call)
                                              : write(request, target, *place, call);
}

Result<Response> ClientTransport::perform(Request request, const kube::Call& call) {
  auto response = answer(request, rest_of(call));
  return response.ok() ? std::move(response) : failed(std::move(response).error());
}

Result<Response> ClientTransport::stream(Request request, const kube::StreamLimits& /*limits*/,
                                         std::stop_token stop, const kube::ChunkSink& sink) {
  CW_TRY(const Target target, apiserver::parse_target(request.target));
  const auto place = place_of(target);
  if (!place.ok()) {
    return failed(place.error());
  }
  kube::WatchOptions options = watch_options_of(target, place->ref.ns);
  base::Status accepted;
  options.on_accepted = [&] { accepted = sink(""); };
  const auto send = [&](kube::WatchFrame frame) -> base::Status {
    const Value event =
        Value::dict({{"type", text(name_of(frame.type))}, {"object", std::move(frame.object)}});
    CW_TRY(const std::string text, value::to_json(event, value::JsonEscape::kNone));
    return sink(text + "\n");
  };
  base::Status ended = client_.watch(place->ref.gvk, options, std::move(stop), send);
  if (!ended.ok()) {
    return failed(std::move(ended).error());
  }
  CW_TRY_VOID(std::move(accepted));
  return Response{.status = 200};
}

}  // namespace chartwright::model
