// SPDX-License-Identifier: Apache-2.0
#include "apiserver/api.h"

#include <algorithm>
#include <utility>

#include "apiserver/discovery.h"
#include "apiserver/list_query.h"
#include "apiserver/list_stream.h"
#include "apiserver/openapi.h"
#include "apiserver/watch_stream.h"
#include "apiserver/write_query.h"
#include "base/digest.h"
#include "base/memory_limit.h"
#include "kube/object.h"
#include "value/json.h"
#include "views/api_errors.h"
#include "views/object_check.h"

namespace chartwright::apiserver {
namespace {

using runtime::HttpReply;
using runtime::HttpRequest;
using value::Value;
using views::bad_request;
using views::check_object;
using views::code_of;
using views::DeleteRequest;
using views::Edit;
using views::Found;
using views::invalid_object;
using views::ListQuery;
using views::method_not_allowed;
using views::ObjectPage;
using views::path_not_found;
using views::Resource;
using views::ServedView;
using views::Shown;
using views::status_of;
using views::too_much;
using views::unavailable;
using views::View;
using views::Work;
using views::Writer;
using views::WriteRequest;

constexpr base::Duration kCallTimeout = std::chrono::seconds(30);
// The CPU time of the worker's thread for a request for one object, and for one that may list: it
// makes the objects that the feed does not have.
constexpr base::Duration kOneCpuMax = std::chrono::seconds(2);
constexpr base::Duration kManyCpuMax = std::chrono::seconds(30);
constexpr std::string_view kNameLetters = "bcdfghjklmnpqrstvwxz2456789";
constexpr size_t kNameSuffix = 5;

HttpReply json_reply(int status, const Value& body) {
  HttpReply reply;
  reply.status = status;
  reply.headers.emplace_back("Content-Type", "application/json");
  reply.body = value::to_json(body, value::JsonEscape::kNone).value_or("{}") + "\n";
  return reply;
}

/// A reply with a digest, so that a client that has the document need not read it again.
HttpReply document_reply(const HttpRequest& request, const Value& body) {
  HttpReply reply = json_reply(200, body);
  const std::string tag = "\"" + base::sha256_hex(reply.body) + "\"";
  if (request.header("if-none-match") == tag) {
    reply.status = 304;
    reply.body.clear();
  }
  reply.headers.emplace_back("ETag", tag);
  reply.headers.emplace_back("Vary", "Accept");
  return reply;
}

bool has_prefix(const std::vector<std::string>& segments, std::string_view first) {
  return !segments.empty() && segments.front() == first;
}

/// Returns the API verb of a request, "" if the method means nothing there.
std::string verb_of(const std::string& method, const ResourcePath& path, const Target& target) {
  const bool named = !path.name.empty();
  if (method == "GET") {
    const bool watches = target.flag("watch");
    return named ? "get" : std::string(watches ? "watch" : "list");
  }
  if (method == "POST") {
    return named ? "" : "create";
  }
  if (method == "PUT") {
    return named ? "update" : "";
  }
  if (method == "PATCH") {
    return named ? "patch" : "";
  }
  if (method == "DELETE") {
    return named ? "delete" : "deletecollection";
  }
  return "";
}

Value success_status(const View& view, const Value& object) {
  return Value::dict({{"kind", Value::string("Status")},
                      {"apiVersion", Value::string("v1")},
                      {"metadata", Value::dict()},
                      {"status", Value::string("Success")},
                      {"details", Value::dict({{"name", Value::string(kube::name_of(object))},
                                               {"group", Value::string(view.resource.group)},
                                               {"kind", Value::string(view.resource.plural)},
                                               {"uid", Value::string(kube::uid_of(object))}})}});
}

/// Gives an object with generateName a name, and its place.
base::Status name_object(const Value& object, const std::string& ns) {
  const Value* metadata = object.find("metadata");
  const std::string prefix(metadata->string_at({"generateName"}));
  if (kube::name_of(object).empty() && !prefix.empty()) {
    CW_TRY(const std::string chance, base::random_bytes(kNameSuffix));
    std::string name = prefix;
    for (const char c : chance) {
      name += kNameLetters[static_cast<unsigned char>(c) % kNameLetters.size()];
    }
    metadata->mutable_dict().set("name", Value::string(name));
  }
  if (!ns.empty() && kube::namespace_of(object).empty()) {
    metadata->mutable_dict().set("namespace", Value::string(ns));
  }
  return {};
}

void add_warnings(const std::vector<std::string>& warnings, HttpReply& reply) {
  std::string text;
  for (const std::string& warning : warnings) {
    std::string quoted;
    for (const char c : warning) {
      quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    text += (text.empty() ? "" : ", ") + std::string("299 - \"") + quoted + "\"";
  }
  if (!text.empty()) {
    reply.headers.emplace_back("Warning", text);
  }
}

}  // namespace

/// A request that is being answered.
struct Api::Call {
  explicit Call(Work& of) : work(of) {}
  Target target;
  ResourcePath path;
  std::string verb;
  ServedView* served = nullptr;
  std::string name;          ///< The object that the request is about, for errors.
  bool is_watching = false;  ///< The request is valid: what goes wrong from now on is an event.
  Work& work;
};

HttpReply error_reply(const base::Error& error, const View* view, std::string_view name) {
  HttpReply reply = json_reply(code_of(error), status_of(error, view, name));
  if (error.retry_after_s() > 0) {
    reply.headers.emplace_back("Retry-After", std::to_string(error.retry_after_s()));
  }
  return reply;
}

namespace {

bool is_of_many(const HttpRequest& request) {
  return request.method == "GET" || request.method == "DELETE";
}

/// The reply to a watch that cannot begin. Its client understands an event: client-go's
/// RetryWatcher, for one, repeats a request that is answered with 410 for ever.
/// Source: k8s.io/apiserver pkg/storage/cacher newErrWatcher.
HttpReply error_event_reply(const base::Error& error) {
  HttpReply reply;
  reply.headers.emplace_back("Content-Type", "application/json");
  reply.body = error_event(error);
  return reply;
}

/// The error of a client that wants a version that is not there yet.
/// Source: k8s.io/apiserver pkg/storage NewTooLargeResourceVersionError.
base::Error too_new(const std::string& wanted, const std::string& current) {
  return base::Error(base::ErrorCode::kTimeout,
                     "Too large resource version: " + wanted + ", current: " + current)
      .with_http(504, "Timeout")
      .with_causes({{"ResourceVersionTooLarge", "Too large resource version", ""}})
      .with_retry_after(1);
}

}  // namespace

/// Returns the refusal of a request because of its cost. A write is refused as invalid: to repeat
/// it does not help.
base::Error Api::too_expensive(const base::Error& error, const HttpRequest& request,
                               const Call& call) {
  if (is_of_many(request) || call.served == nullptr) {
    return too_much(error.message());
  }
  return invalid_object(call.served->view().resource, call.name,
                        {{"FieldValueInvalid", "the request is too large: " + error.message(),
                          request.method == "PATCH" ? "patch" : "object"}});
}

HttpReply Api::refusal(const base::Error& error, const Call& call) {
  if (call.is_watching) {
    return error_event_reply(error);
  }
  return error_reply(error, call.served == nullptr ? nullptr : &call.served->view(), call.name);
}

runtime::HttpTurn Api::turn(const HttpRequest& request) const {
  const auto user = parts_.front_proxy.authenticate(request);
  const auto target = parse_target(request.target);
  return {
      .client = user.ok() ? user->name : "",
      .prompt = !target.ok() || !parse_resource_path(target->segments),
  };
}

HttpReply Api::handle(const HttpRequest& request) {
  // Ends with the server, and with its client.
  std::stop_source ended;
  const auto end = [&] { ended.request_stop(); };
  const std::stop_callback with_server(parts_.stop, end);
  const std::stop_callback with_client(request.stop, end);
  Work work(parts_.clock, {.stop = ended.get_token(), .timeout = kCallTimeout},
            is_of_many(request) ? kManyCpuMax : kOneCpuMax);
  Call call(work);
  auto answered =
      base::within_memory(parts_.request_bytes_max, [&] { return answer(request, call); });
  if (!answered.ok() && answered.error().code() == base::ErrorCode::kBudget) {
    answered = too_expensive(answered.error(), request, call);
  }
  if (!answered.ok() && code_of(answered.error()) >= 500 && !request.stop.stop_requested()) {
    parts_.log.warn("A request for a view failed", {{"method", request.method},
                                                    {"path", call.target.path},
                                                    {"error", answered.error().message()}});
  }
  HttpReply reply = answered.ok() ? *std::move(answered) : refusal(answered.error(), call);
  if (const std::string_view id = request.header("audit-id"); !id.empty()) {
    reply.headers.emplace_back("Audit-Id", std::string(id));
  }
  reply.headers.emplace_back("Cache-Control", "no-cache, private");
  return reply;
}

std::optional<HttpReply> Api::health(const std::string& path) const {
  if (path == "/healthz" || path == "/livez") {
    return runtime::text_reply(200, "ok");
  }
  if (path != "/readyz") {
    return std::nullopt;
  }
  const bool ready = std::all_of(parts_.served.begin(), parts_.served.end(),
                                 [](ServedView* one) { return one->has_settled(); });
  return ready ? runtime::text_reply(200, "ok") : runtime::text_reply(503, "views are not synced");
}

base::Result<HttpReply> Api::answer(const HttpRequest& request, Call& call) {
  CW_TRY(call.target, parse_target(request.target));
  if (auto reply = health(call.target.path); reply && request.method == "GET") {
    return *std::move(reply);
  }
  CW_TRY(const User user, parts_.front_proxy.authenticate(request));
  const auto path = parse_resource_path(call.target.segments);
  if (!path) {
    return answer_document(request, call);
  }
  call.path = *path;
  call.name = path->name;
  call.served = find(path->group, path->version, path->plural);
  if (call.served == nullptr) {
    return path_not_found();
  }
  const View& view = call.served->view();
  const bool all_namespaces = path->ns.empty() && path->name.empty();
  if ((!view.resource.namespaced && !path->ns.empty()) ||
      (view.resource.namespaced && path->ns.empty() && !all_namespaces)) {
    return path_not_found();
  }
  if (!path->ns.empty() && !kube::is_path_segment(path->ns)) {
    return bad_request("invalid namespace \"" + path->ns + "\"");
  }
  call.verb = verb_of(request.method, *path, call.target);
  if (call.verb.empty() || !view.allows(call.verb)) {
    return method_not_allowed();
  }
  if (parts_.access != nullptr) {
    CW_TRY_VOID(parts_.access->check(user, {call.verb, view.resource, path->ns, path->name}));
  }
  CW_TRY_VOID(call.served->usable());
  return act(request, call);
}

ServedView* Api::find(const std::string& group, const std::string& version,
                      const std::string& plural) const {
  const auto found = std::find_if(parts_.served.begin(), parts_.served.end(), [&](ServedView* one) {
    const Resource& resource = one->view().resource;
    return resource.group == group && resource.version == version && resource.plural == plural;
  });
  return found == parts_.served.end() ? nullptr : *found;
}

/// Returns the views as discovery shows them. A view without its source has nothing to delete. If
/// it seemed to have, the controllers of namespaces and of garbage, which ask every resource that
/// can be deleted, would wait for it.
std::vector<View> Api::discovered() const {
  std::vector<View> views = parts_.views;
  for (size_t i = 0; i < views.size(); ++i) {
    if (parts_.served[i]->has_no_objects()) {
      std::erase(views[i].verbs, "delete");
      std::erase(views[i].verbs, "deletecollection");
    }
  }
  return views;
}

base::Result<HttpReply> Api::answer_document(const HttpRequest& request, const Call& call) const {
  const std::vector<std::string>& segments = call.target.segments;
  const bool apis = has_prefix(segments, "apis") && segments.size() <= 3;
  const bool openapi = has_prefix(segments, "openapi");
  if (!apis && !openapi) {
    return path_not_found();
  }
  if (request.method != "GET") {
    return method_not_allowed();
  }
  const bool is_root = apis && segments.size() == 1;
  std::vector<Accepted> offered = {{Form::kPlain, ""}};
  if (is_root) {
    offered.push_back({Form::kAggregatedDiscovery, "v2"});
    offered.push_back({Form::kAggregatedDiscovery, "v2beta1"});
  }
  CW_TRY(const Accepted accepted, negotiate(request.header("accept"), offered));
  Value document;
  if (accepted.form == Form::kAggregatedDiscovery) {
    HttpReply reply = document_reply(request, aggregated_discovery(discovered(), accepted.version));
    reply.headers.front().second = "application/json;g=apidiscovery.k8s.io;v=" + accepted.version +
                                   ";as=APIGroupDiscoveryList";
    return reply;
  }
  if (is_root) {
    document = group_list(parts_.views);
  } else if (apis) {
    document = segments.size() == 2 ? group_document(parts_.views, segments[1])
                                    : resource_list(discovered(), segments[1], segments[2]);
  } else if (call.target.path == "/openapi/v2") {
    document = openapi_v2(parts_.views);
  } else if (call.target.path == "/openapi/v3") {
    document = openapi_v3_index(parts_.views);
  } else if (segments.size() == 5 && segments[1] == "v3" && segments[2] == "apis") {
    document = openapi_v3(parts_.views, segments[3], segments[4]);
  }
  if (document.is_nil()) {
    return path_not_found();
  }
  return document_reply(request, document);
}

base::Result<HttpReply> Api::act(const HttpRequest& request, Call& call) {
  if (call.verb == "get") {
    return get(request, call);
  }
  if (call.verb == "list") {
    return list(request, call);
  }
  if (call.verb == "watch") {
    return watch(request, call);
  }
  return write(request, call);
}

base::Result<HttpReply> Api::get(const HttpRequest& request, const Call& call) {
  CW_TRY(const Rendition rendition,
         read_rendition(call.target, request.header("accept"), Form::kPartialMetadata));
  CW_TRY(const Found found, call.served->reader().get(call.path.ns, call.path.name, call.work));
  return json_reply(200,
                    present(call.served->view(), found.object, rendition, parts_.clock.wall()));
}

base::Result<HttpReply> Api::list(const HttpRequest& request, const Call& call) {
  CW_TRY(const Rendition rendition,
         read_rendition(call.target, request.header("accept"), Form::kPartialMetadataList));
  CW_TRY(const ListQuery query, read_list_query(call.target, call.path.ns));
  CW_TRY(ObjectPage page, call.served->reader().list(query, call.work));
  if (kube::is_older_version(page.resource_version, query.resource_version)) {
    return too_new(query.resource_version, page.resource_version);
  }
  return list_reply(call.served->view(), std::move(page), rendition, parts_.clock.wall());
}

base::Result<HttpReply> Api::watch(const HttpRequest& request, Call& call) {
  CW_TRY(const Rendition rendition,
         read_rendition(call.target, request.header("accept"), Form::kPartialMetadata));
  CW_TRY(WatchQuery query, read_watch_query(call.target, call.path.ns));
  CW_TRY(const base::Duration lasts, read_watch_timeout(call.target));
  ServedView& served = *call.served;
  if (!served.feed().has_synced()) {
    const auto cause = served.last_error();
    return unavailable("the view is not synced" + (cause ? ": " + cause->message() : ""));
  }
  call.is_watching = true;
  std::string version = query.selection.resource_version;
  const bool lists = query.initial || version.empty() || version == "0";
  auto stream =
      std::make_unique<WatchStream>(served.view(), served.feed(), parts_.clock, query, rendition);
  if (lists) {
    if (version != "0") {
      query.selection.resource_version.clear();  // The newest state is never too old.
    }
    CW_TRY(ObjectPage page, served.reader().list(query.selection, call.work));
    if (kube::is_older_version(page.resource_version, version)) {
      return too_new(version, page.resource_version);
    }
    version = page.resource_version;
    stream->begin_with(std::move(page));
  }
  CW_TRY_VOID(stream->begin_after(version));
  HttpReply reply;
  reply.headers.emplace_back("Content-Type", "application/json");
  reply.stream = std::move(stream);
  reply.stream_max = lasts;
  return reply;
}

base::Result<HttpReply> Api::write(const HttpRequest& request, Call& call) {
  const View& view = call.served->view();
  if (view.resource.namespaced && call.path.ns.empty()) {
    return bad_request("a namespace is needed: /apis/" + view.resource.api_version() +
                       "/namespaces/NAMESPACE/" + view.resource.plural);
  }
  CW_TRY(const Rendition rendition,
         read_rendition(call.target, request.header("accept"), Form::kPartialMetadata));
  if (call.verb == "delete" || call.verb == "deletecollection") {
    return remove(request, call);
  }
  CW_TRY(const FieldPolicy policy, read_field_policy(call.target));
  CW_TRY(WriteRequest wanted, read_write_request(call.target, call.path));
  const Writer& writer = call.served->writer();
  std::vector<std::string> warnings;
  Value stored;
  if (call.verb == "create") {
    CW_TRY(const Value object, read_object(request, call.work));
    CW_TRY_VOID(name_object(object, call.path.ns));
    wanted.name = kube::name_of(object);
    call.name = wanted.name;
    CW_TRY_VOID(check_object(view, object, call.path.ns));
    CW_TRY(warnings, check_fields(view, object, policy));
    CW_TRY(stored, writer.create(object, wanted, call.work));
  } else {
    CW_TRY(const Edit edit, edit_of(request, call));
    const Edit checked = [&](const Value& before, Work& work) -> base::Result<Value> {
      CW_TRY(Value after, edit(before, work));
      CW_TRY(warnings, check_fields(view, after, policy));
      return after;
    };
    CW_TRY(stored, writer.update(checked, wanted, call.work));
  }
  HttpReply reply = json_reply(call.verb == "create" ? 201 : 200,
                               present(view, stored, rendition, parts_.clock.wall()));
  add_warnings(warnings, reply);
  return reply;
}

base::Result<Edit> Api::edit_of(const HttpRequest& request, const Call& call) {
  if (call.verb == "patch") {
    return read_patch(request, call.served->view(), call.path.name);
  }
  CW_TRY(Value object, read_object(request, call.work));
  CW_TRY_VOID(name_object(object, call.path.ns));
  return Edit([object](const Value& /*before*/, Work& /*work*/) -> base::Result<Value> {
    return value::deep_copy(object);
  });
}

base::Result<HttpReply> Api::remove(const HttpRequest& request, Call& call) {
  const View& view = call.served->view();
  CW_TRY(DeleteRequest wanted, read_delete_request(request, call.target, call.path));
  const Writer& writer = call.served->writer();
  if (call.verb == "delete") {
    CW_TRY(const Value object, writer.remove(wanted, call.work));
    return json_reply(200, success_status(view, object));
  }
  CW_TRY(const ListQuery query, read_list_query(call.target, call.path.ns));
  CW_TRY(ObjectPage page, call.served->reader().list(query, call.work));
  for (const Shown& object : page.items) {
    CW_TRY_VOID(call.work.check());
    wanted.ns = kube::namespace_of(*object);
    wanted.name = kube::name_of(*object);
    call.name = wanted.name;
    auto removed = writer.remove(wanted, call.work);
    if (!removed.ok() && removed.error().http_status() != 404) {
      return std::move(removed).error();
    }
  }
  return list_reply(view, std::move(page), Rendition(), parts_.clock.wall());
}

}  // namespace chartwright::apiserver
