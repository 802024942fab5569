// SPDX-License-Identifier: Apache-2.0
#include "external/session.h"

#include <algorithm>

#include "base/digest.h"
#include "base/strings.h"
#include "go/quote.h"
#include "value/compare.h"
#include "value/contains.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::external {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

constexpr size_t kIdBytesMax = 1024;
constexpr int kReplyDepthMax = 200;
constexpr size_t kCandidatesMax = 10;
// The credentials of one external are in memory while its custom resource exists.
constexpr size_t kCredentialsBytesMax = size_t{64} << 10;

base::Result<bool> read_verdict(const Expression& expression, const std::string& text) {
  const std::string_view word = base::trim(text);
  if (word == "true" || word == "false") {
    return word == "true";
  }
  return Error(ErrorCode::kTemplate, expression.text + " gives " +
                                         go::quote(std::string(word.substr(0, 64))) +
                                         ", and not \"true\" or \"false\"");
}

size_t size_of(const Credentials& credentials) {
  size_t bytes = credentials.server.size() + credentials.trust.size();
  for (const auto& [name, text] : credentials.members) {
    bytes += name.first.size() + name.second.size() + text.size();
  }
  return bytes;
}

Error secret_is_gone(const std::string& secret, const std::string& why) {
  return {ErrorCode::kNotFound,
          "Secret " + secret + " is gone, and " + why +
              ": create it again; where that is impossible, as in a namespace that is being "
              "deleted, delete the object on its server, and annotate the custom resource with "
              "chartwright.io/deletion-policy: Orphan"};
}

bool is_json(std::string_view text) {
  return base::trim(text).empty() || value::parse_json(text, value::Numbers::kInt64).ok();
}

}  // namespace

Value Session::dot_with(const Members& members) const {
  Value dot = Value::dict();
  dot.mutable_dict() = shared_.scope.as_dict();
  for (const auto& [name, member] : members) {
    dot.mutable_dict().set(name, member);
  }
  return dot;
}

base::Result<std::string> Session::evaluate(const Expression& expression, const Members& members,
                                            const helm::RenderContext& context) const {
  if (!expression.parsed) {
    return expression.text;
  }
  return expression.parsed->render(dot_with(members), context);
}

base::Result<bool> Session::verdict(const Expression& expression, const Members& members,
                                    const helm::RenderContext& context) const {
  CW_TRY(const std::string text, evaluate(expression, members, context));
  return read_verdict(expression, text);
}

base::Result<std::string> Session::text_of(const Expression& expression, const Members& members) {
  if (!expression.parsed) {
    return expression.text;
  }
  std::string text;
  CW_TRY_VOID(shared_.surroundings.in_turn([&](const helm::RenderContext& context) -> base::Status {
    CW_TRY(text, evaluate(expression, members, context));
    return {};
  }));
  return text;
}

base::Result<base::Duration> Session::resync() {
  CW_TRY(const std::string text, text_of(external_.resync, {}));
  return parse_resync(text);
}

base::Result<base::Duration> Session::timeout() {
  CW_TRY(const std::string text, text_of(external_.timeout, {}));
  return parse_timeout(text);
}

base::Result<DeletionPolicy> Session::deletion_policy() {
  CW_TRY(const std::string text, text_of(external_.deletion_policy, {}));
  return parse_policy(text);
}

base::Result<std::string> Session::secret_member(const std::string& secret,
                                                 const std::string& key) {
  auto found = shared_.surroundings.secret(secret);
  if (!found.ok() && found.error().code() == ErrorCode::kNotFound &&
      shared_.goal == Goal::kAbsent) {
    return recalled_member(secret, key);
  }
  if (!found.ok()) {
    return std::move(found).error().wrap("read Secret " + secret);
  }
  shared_.secrets.add(*found);
  const std::string_view encoded = found->string_at({"data", key});
  auto decoded = base::base64_decode(encoded);
  if (encoded.empty() || !decoded.ok()) {
    return Error(ErrorCode::kNotFound, "Secret " + secret + " has no " + go::quote(key));
  }
  read_.members[{secret, key}] = *decoded;
  return decoded;
}

base::Result<std::string> Session::recalled_member(const std::string& secret,
                                                   const std::string& key) {
  const auto known = shared_.known.members.find({secret, key});
  if (known == shared_.known.members.end()) {
    return secret_is_gone(secret, "this operator has not used it since it started");
  }
  const Value encoded = Value::dict({{key, Value::string(base::base64_encode(known->second))}});
  shared_.secrets.add(Value::dict({{"data", encoded}}));
  recalled_ = secret;
  return known->second;
}

// Who may choose the server, or the authorities that vouch for it, must not get by that what is no
// longer there to be chosen.
base::Status Session::check_recalled() const {
  if (recalled_.empty() ||
      (read_.server == shared_.known.server && read_.trust == shared_.known.trust)) {
    return {};
  }
  return secret_is_gone(recalled_, "what is known of it is for another server, or another tls.ca");
}

// Credentials that have proved right are not replaced by such as have not, but for another server.
void Session::keep_credentials(const base::Result<Reply>& reply) {
  if (!recalled_.empty() || (!reply.ok() && read_.server == shared_.known.server)) {
    return;
  }
  shared_.known = size_of(read_) <= kCredentialsBytesMax ? read_ : Credentials();
}

base::Result<std::string> Session::named_member(const SecretMember& member) {
  CW_TRY(const std::string name, text_of(member.secret, {}));
  const std::string secret(base::trim(name));
  return secret.empty() ? base::Result<std::string>(std::string())
                        : secret_member(secret, member.key);
}

base::Result<std::string> Session::bearer(const std::optional<SecretMember>& token) {
  if (!token) {
    return std::string();
  }
  CW_TRY(const std::string text, named_member(*token));
  const std::string_view trimmed = base::trim(text);
  if (std::any_of(trimmed.begin(), trimmed.end(), [](char c) { return c <= ' ' || c == 0x7f; })) {
    return Error(ErrorCode::kInvalidArgument,
                 "the bearer token has a space, a control character or one that is not ASCII");
  }
  return trimmed.empty() ? std::string() : "Bearer " + std::string(trimmed);
}

base::Result<std::string> Session::basic(const BasicAuth& auth) {
  CW_TRY(const std::string name, text_of(auth.secret, {}));
  const std::string secret(base::trim(name));
  if (secret.empty()) {
    return std::string();
  }
  CW_TRY(const std::string user, secret_member(secret, auth.username_key));
  CW_TRY(const std::string password, secret_member(secret, auth.password_key));
  const std::string pair = base::base64_encode(user + ":" + password);
  shared_.secrets.add(Value::dict({{"data", Value::dict({{"basic", Value::string(pair)}})}}));
  return "Basic " + pair;
}

template <typename Driver>
base::Result<std::string> Session::authorization(const Driver& driver) {
  return driver.basic ? basic(*driver.basic) : bearer(driver.bearer);
}

template <typename Endpoint>
base::Status Session::read_tls(const Tls& tls, Endpoint& endpoint) {
  trust_ = "over TLS, with the system's authorities";
  if (tls.ca) {
    CW_TRY(const std::string name, text_of(tls.ca->secret, {}));
    const std::string secret(base::trim(name));
    if (!secret.empty()) {
      CW_TRY(endpoint.ca, secret_member(secret, tls.ca->key));
      trust_ = "over TLS, with tls.ca from Secret " + secret;
    }
  }
  if (tls.identity) {
    CW_TRY(const std::string name, text_of(*tls.identity, {}));
    const std::string secret(base::trim(name));
    if (!secret.empty()) {
      CW_TRY(endpoint.certificate, secret_member(secret, "tls.crt"));
      CW_TRY(endpoint.key, secret_member(secret, "tls.key"));
      trust_ += " and tls.clientCertificate from Secret " + secret;
    }
  }
  CW_TRY(const std::string server_name, text_of(tls.server_name, {}));
  endpoint.server_name = base::trim(server_name);
  return {};
}

base::Result<HttpEndpoint> Session::http_endpoint(const HttpDriver& driver) {
  HttpEndpoint endpoint;
  CW_TRY(const std::string url, text_of(driver.base_url, {}));
  endpoint.base_url = base::trim(url);
  endpoint.plaintext = driver.plaintext;
  endpoint.error_field = driver.error_field;
  CW_TRY(endpoint.authorization, authorization(driver));
  CW_TRY_VOID(read_tls(driver.tls, endpoint));
  if (endpoint.base_url.starts_with("http://")) {
    trust_.clear();
  }
  return endpoint;
}

base::Result<GrpcEndpoint> Session::grpc_endpoint(const GrpcDriver& driver) {
  GrpcEndpoint endpoint;
  CW_TRY(const std::string address, text_of(driver.address, {}));
  endpoint.address = base::trim(address);
  endpoint.plaintext = driver.plaintext;
  endpoint.descriptors = driver.descriptors;
  endpoint.shows_messages = driver.shows_messages;
  CW_TRY(endpoint.authorization, authorization(driver));
  CW_TRY_VOID(read_tls(driver.tls, endpoint));
  if (endpoint.plaintext) {
    trust_.clear();
  }
  return endpoint;
}

base::Result<std::shared_ptr<Connection>> Session::connection() {
  if (connection_ != nullptr) {
    return connection_;
  }
  if (const auto* http = std::get_if<HttpDriver>(&external_.driver)) {
    CW_TRY(const HttpEndpoint endpoint, http_endpoint(*http));
    read_.server = endpoint.base_url + " " + endpoint.server_name;
    read_.trust = base::sha256_hex(endpoint.ca);
    CW_TRY_VOID(check_recalled());
    CW_TRY(connection_, shared_.connections.http(endpoint));
  } else if (const auto* grpc = std::get_if<GrpcDriver>(&external_.driver)) {
    CW_TRY(const GrpcEndpoint endpoint, grpc_endpoint(*grpc));
    read_.server = endpoint.address + " " + endpoint.server_name;
    read_.trust = base::sha256_hex(endpoint.ca);
    CW_TRY_VOID(check_recalled());
    CW_TRY(connection_, shared_.connections.grpc(endpoint));
  }
  return connection_;
}

base::Result<Value> Session::parse(const Reply& reply) {
  Value parsed;
  CW_TRY_VOID(shared_.surroundings.in_turn([&](const helm::RenderContext&) -> base::Status {
    if (base::trim(reply.text).empty()) {
      return {};
    }
    auto json = value::parse_json(reply.text, value::Numbers::kInt64,
                                  {.max_bytes = kReplyBytesMax, .max_depth = kReplyDepthMax});
    if (!json.ok()) {
      return Error(json.error().code(), "the reply is not JSON: " + json.error().message());
    }
    parsed = *std::move(json);
    return {};
  }));
  return parsed;
}

base::Result<std::string> Session::body_of(const CallTemplate& call, const Members& members) {
  if (!call.body) {
    return std::string();
  }
  CW_TRY(const std::string text, text_of(*call.body, members));
  auto body = yaml::parse_yaml(text, value::Numbers::kInt64);
  if (!body.ok()) {
    return Error(body.error().code(), "body of " + call.call.text + ": " + body.error().message());
  }
  return value::to_json(*body, value::JsonEscape::kNone);
}

base::Result<Reply> Session::call(const CallTemplate& call, const Members& members, Repeat repeat) {
  Request request;
  CW_TRY(const std::string line, text_of(call.call, members));
  request.call = base::trim(line);
  request.repeat = repeat;
  CW_TRY(request.body, body_of(call, members));
  return send(request);
}

base::Result<Reply> Session::send(const Request& request) {
  CW_TRY(const auto server, connection());
  kube::Call limits = shared_.call;
  CW_TRY(limits.timeout, timeout());
  auto reply = server->call(request, limits);
  keep_credentials(reply);
  // Libraries say what is wrong with a certificate, but not which setting it was judged by.
  if (!reply.ok() && reply.error().reason() == kube::kNotSent &&
      reply.error().code() == ErrorCode::kUnavailable && !trust_.empty()) {
    return std::move(reply).error().wrap(trust_);
  }
  return reply;
}

base::Result<std::vector<Value>> Session::items(const CallTemplate& call, const Reply& reply) {
  if (!reply.found) {
    return Error(ErrorCode::kNotFound, "the server does not know " + go::quote(call.call.text));
  }
  CW_TRY(const Value body, parse(reply));
  const Value* list = call.items ? call.items->get(body) : &body;
  const std::string place = call.items ? " at " + call.items->to_string() : "";
  if (list == nullptr || value::is_null(*list)) {
    // An empty list may be left out, but the rest of the reply must be there.
    if (call.items && body.is_dict()) {
      return std::vector<Value>();
    }
    return Error(ErrorCode::kParse, "the reply has no list" + place);
  }
  if (!list->is_list()) {
    return Error(ErrorCode::kParse, "the reply has " + std::string(value::kind_noun(list->kind())) +
                                        place + ", where a list is expected");
  }
  const std::vector<Value>& all = list->as_list().items;
  if (all.size() > kReplyItemsMax) {
    return Error(ErrorCode::kBudget, "the reply lists more than " + std::to_string(kReplyItemsMax) +
                                         " objects; let the call ask for fewer");
  }
  for (const Value& item : all) {
    if (!item.is_dict()) {
      return Error(ErrorCode::kParse, "the list" + place + " has " +
                                          std::string(value::kind_noun(item.kind())) +
                                          ", where objects are expected");
    }
  }
  return all;
}

base::Result<std::optional<Value>> Session::choose(const std::string& id,
                                                   const std::vector<Value>& items) {
  std::vector<const Value*> chosen;
  CW_TRY_VOID(shared_.surroundings.in_turn([&](const helm::RenderContext& context) -> base::Status {
    for (const Value& item : items) {
      CW_TRY(const bool is_selected,
             verdict(*external_.select, {{"id", Value::string(id)}, {"item", item}}, context));
      if (is_selected) {
        chosen.push_back(&item);
      }
    }
    return {};
  }));
  if (chosen.size() > 1) {
    return Error(ErrorCode::kConflict, "observe.select chooses " + std::to_string(chosen.size()) +
                                           " objects, where at most one may have the id");
  }
  return chosen.empty() ? std::optional<Value>() : std::optional<Value>(*chosen.front());
}

// The object with that id; nullopt: the server says that there is none. A page of a proxy that
// does not know the path is no such answer.
base::Result<std::optional<Value>> Session::find(const std::string& id) {
  CW_TRY(const Reply reply, call(external_.observe, {{"id", Value::string(id)}}, Repeat::kRead));
  if (external_.select) {
    CW_TRY(const auto all, items(external_.observe, reply));
    return choose(id, all);
  }
  if (!reply.found) {
    if (is_json(reply.text)) {
      return std::optional<Value>();
    }
    return Error(ErrorCode::kUnavailable,
                 "HTTP status 404 with a page that is not JSON, which does not say that the object "
                 "is absent; is baseURL right?");
  }
  CW_TRY(Value item, parse(reply));
  if (!item.is_dict()) {
    return Error(ErrorCode::kParse, "the reply is " + std::string(value::kind_noun(item.kind())) +
                                        ", where an object is expected");
  }
  return std::optional<Value>(std::move(item));
}

base::Result<bool> Session::is_current(const std::string& id, const Value& item) {
  const Members members = {{"id", Value::string(id)}, {"item", item}};
  bool current = true;
  if (external_.up_to_date) {
    CW_TRY_VOID(
        shared_.surroundings.in_turn([&](const helm::RenderContext& context) -> base::Status {
          CW_TRY(current, verdict(*external_.up_to_date, members, context));
          return {};
        }));
  } else if (external_.update && external_.update->body) {
    CW_TRY(const std::string text, text_of(*external_.update->body, members));
    CW_TRY(const Value wanted, yaml::parse_yaml(text, value::Numbers::kInt64));
    current = value::contains(item, wanted);
  }
  return current || !external_.update;
}

base::Result<Seen> Session::observe(const std::string& id) {
  CW_TRY(const auto item, find(id));
  if (!item) {
    return Seen::kAbsent;
  }
  CW_TRY(const bool current, is_current(id, *item));
  return current ? Seen::kCurrent : Seen::kStale;
}

base::Result<std::string> Session::usable_id(const std::string& rendered) const {
  const std::string id(base::trim(rendered));
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (id.empty() || id.size() > kIdBytesMax || std::any_of(id.begin(), id.end(), is_control)) {
    return Error(ErrorCode::kParse,
                 "the reply has no usable id: it is empty, longer than 1024 bytes or has control "
                 "characters");
  }
  if (shared_.secrets.masked(id) != id) {
    return Error(ErrorCode::kParse, "the reply has a credential where the id is expected");
  }
  return id;
}

base::Result<std::vector<std::string>> Session::search(const std::string& sent) {
  Value body;
  if (!sent.empty()) {
    CW_TRY(body, value::parse_json(sent, value::Numbers::kInt64));
  }
  CW_TRY(const Reply reply, call(external_.search, {{"id", Value::string("")}}, Repeat::kRead));
  CW_TRY(const auto all, items(external_.search, reply));
  const std::set<std::string> taken = shared_.surroundings.ids_of_others(external_.name);
  std::vector<std::string> ids;
  CW_TRY_VOID(shared_.surroundings.in_turn([&](const helm::RenderContext& context) -> base::Status {
    for (const Value& item : all) {
      CW_TRY(const bool is_adopted,
             verdict(*external_.adopt, {{"item", item}, {"sent", body}}, context));
      if (!is_adopted || ids.size() == kCandidatesMax) {
        continue;
      }
      CW_TRY(const std::string text, evaluate(external_.id, {{"item", item}}, context));
      CW_TRY(std::string id, usable_id(text));
      if (!taken.contains(id)) {
        ids.push_back(std::move(id));
      }
    }
    return {};
  }));
  return ids;
}

base::Result<std::string> Session::create_body() { return body_of(external_.create, {}); }

base::Result<std::string> Session::create(const std::string& key, const std::string& body) {
  CW_TRY(const std::string line, text_of(external_.create.call, {}));
  Request request{std::string(base::trim(line)), body, Repeat::kNever, key};
  if (request.call.starts_with("PUT ")) {
    request.repeat = Repeat::kSafe;
  }
  CW_TRY(const Reply reply, send(request));
  if (!reply.found) {
    return Error(ErrorCode::kInvalid, "HTTP status 404: the server does not know " +
                                          go::quote(external_.create.call.text))
        .with_http(404, "");
  }
  CW_TRY(const Value response, parse(reply));
  CW_TRY(const std::string text, text_of(external_.capture, {{"response", response}}));
  return usable_id(text);
}

base::Status Session::update(const std::string& id) {
  const bool is_put = external_.update->call.text.starts_with("PUT ");
  CW_TRY(const Reply reply, call(*external_.update, {{"id", Value::string(id)}},
                                 is_put ? Repeat::kSafe : Repeat::kNever));
  if (!reply.found) {
    return Error(ErrorCode::kNotFound, "update: the server does not know the object");
  }
  return {};
}

base::Status Session::remove(const std::string& id) {
  // One that is not found is gone, which the next look at it will say.
  CW_TRY_DISCARD(call(*external_.remove, {{"id", Value::string(id)}}, Repeat::kSafe));
  return {};
}

}  // namespace chartwright::external
