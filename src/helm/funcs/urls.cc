// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <vector>

#include "go/url.h"
#include "helm/funcs/families.h"
#include "helm/funcs/go_value.h"
#include "helm/funcs/random_bytes.h"

// Source: Masterminds/sprig v3.3.0 url.go.
namespace chartwright::helm::funcs {
namespace {

Result<Value> url_parse(std::string_view text) {
  Result<go::Url> parsed = go::Url::parse(text);
  if (!parsed.ok()) {
    return failure("unable to parse url: " + parsed.error().message());
  }
  const go::Url& url = *parsed;
  return Value::dict({{"scheme", Value::string(url.scheme)},
                      {"host", Value::string(url.host)},
                      {"hostname", Value::string(url.hostname())},
                      {"path", Value::string(url.path)},
                      {"query", Value::string(url.query)},
                      {"opaque", Value::string(url.opaque)},
                      {"fragment", Value::string(url.fragment)},
                      {"userinfo", Value::string(url.user ? url.user->to_string() : "")}});
}

Result<std::string> text_or_empty(const DictArg& parts, std::string_view key) {
  const Value* part = parts.find(key);
  if (part == nullptr) {
    return std::string();
  }
  if (part->is_nothing()) {
    return nil_dereference();
  }
  if (!part->is_string()) {
    return failure("unable to parse " + std::string(key) + " key, must be of type string, but " +
                   std::string(kind_name(*part)) + " found");
  }
  return part->as_string();
}

Result<std::string> url_join(DictArg parts) {
  go::Url url;
  CW_TRY(url.scheme, text_or_empty(parts, "scheme"));
  CW_TRY(url.host, text_or_empty(parts, "host"));
  CW_TRY(url.path, text_or_empty(parts, "path"));
  CW_TRY(url.query, text_or_empty(parts, "query"));
  CW_TRY(url.opaque, text_or_empty(parts, "opaque"));
  CW_TRY(url.fragment, text_or_empty(parts, "fragment"));
  CW_TRY(const std::string user, text_or_empty(parts, "userinfo"));
  if (!user.empty()) {
    Result<go::Url> carrier = go::Url::parse("proto://" + user + "@host");
    if (!carrier.ok()) {
      return failure("unable to parse userinfo in dict: " + carrier.error().message());
    }
    url.user = carrier->user;
  }
  return url.to_string();
}

// Returns a random address of the name. Source: Masterminds/sprig v3.3.0 network.go; if DNS is
// disabled, helm/helm v3 pkg/engine/engine.go initFunMap.
Result<std::string> get_host_by_name(CallContext& ctx, std::string_view name) {
  const base::MonotonicTime began = ctx.budget.now();
  const auto addresses = ctx.host.addresses_of(name);
  CW_TRY_VOID(ctx.budget.charge_wait(began));
  if (!addresses) {
    return std::string();
  }
  if (addresses->empty()) {
    return failure("invalid argument to Intn");
  }
  RandomBytes bytes(ctx.host);
  CW_TRY(const uint64_t chosen, random_below(bytes, addresses->size()));
  return (*addresses)[chosen];
}

}  // namespace

void add_urls(Table& table) {
  table.add("urlParse", url_parse);
  table.add("urlJoin", url_join);
  table.add("getHostByName", get_host_by_name);
}

}  // namespace chartwright::helm::funcs
