// SPDX-License-Identifier: Apache-2.0
#include "apiserver/registration.h"

#include <algorithm>
#include <utility>

#include "apiserver/discovery.h"
#include "base/digest.h"
#include "base/strings.h"
#include "kube/names.h"
#include "value/contains.h"

namespace chartwright::apiserver {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;
using views::View;

constexpr std::string_view kFieldManager = "chartwright-views";
constexpr int64_t kGroupPriority = 1000;
constexpr int64_t kVersionPriority = 15;

kube::Gvk api_service_kind() { return {"apiregistration.k8s.io", "v1", "APIService"}; }

}  // namespace

base::Result<ServiceRef> parse_service(std::string_view text) {
  const auto wrong = [&] {
    return Error(ErrorCode::kInvalidArgument,
                 "\"" + std::string(text) +
                     "\" is not a Service: NAMESPACE/NAME or NAMESPACE/NAME:PORT is needed");
  };
  ServiceRef service;
  const size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    const auto port = base::parse_int(text.substr(colon + 1));
    if (!port || *port < 1 || *port > 65535) {
      return wrong();
    }
    service.port = *port;
    text = text.substr(0, colon);
  }
  const auto parts = base::split(text, '/');
  if (parts.size() != 2 || !kube::is_dns_subdomain(parts[0]) || !kube::is_dns_label(parts[1])) {
    return wrong();
  }
  service.ns = parts[0];
  service.name = parts[1];
  return service;
}

Value api_service(const std::string& group, const std::string& version, const ServiceRef& service,
                  const std::string& authorities) {
  const Value labels =
      Value::dict({{"app.kubernetes.io/managed-by", Value::string("chartwright")}});
  const Value reference = Value::dict({{"namespace", Value::string(service.ns)},
                                       {"name", Value::string(service.name)},
                                       {"port", Value::integer(service.port)}});
  const Value spec = Value::dict({{"group", Value::string(group)},
                                  {"version", Value::string(version)},
                                  {"groupPriorityMinimum", Value::integer(kGroupPriority)},
                                  {"versionPriority", Value::integer(kVersionPriority)},
                                  {"service", reference},
                                  {"caBundle", Value::string(base::base64_encode(authorities))}});
  return Value::dict({{"apiVersion", Value::string(api_service_kind().api_version())},
                      {"kind", Value::string("APIService")},
                      {"metadata", Value::dict({{"name", Value::string(version + "." + group)},
                                                {"labels", labels}})},
                      {"spec", spec}});
}

Registration::Registration(const std::vector<View>& views, ServiceRef service, kube::Client& client,
                           base::Logger log)
    : views_(views), service_(std::move(service)), client_(client), log_(std::move(log)) {}

bool Registration::is_ours(const Value& live) const {
  return live.string_at({"spec", "service", "namespace"}) == service_.ns &&
         live.string_at({"spec", "service", "name"}) == service_.name;
}

// Where a view asks for the APIService of that name.
base::SourcePos Registration::place_of(std::string_view name) const {
  const auto view = std::find_if(views_.begin(), views_.end(), [name](const View& one) {
    return one.resource.version + "." + one.resource.group == name;
  });
  return view == views_.end() ? base::SourcePos() : view->group_pos;
}

base::Status Registration::ensure_one(const Value& wanted, const kube::Call& call) {
  const std::string name(kube::name_of(wanted));
  const auto live = client_.get({api_service_kind(), "", name}, call);
  if (!live.ok() && live.error().code() != ErrorCode::kNotFound) {
    return live.error();
  }
  if (live.ok() && !is_ours(*live)) {
    const std::string_view other = live->string_at({"spec", "service", "name"});
    return Error(ErrorCode::kOwnership,
                 "APIService " + name + " belongs to " +
                     (other.empty()
                          ? "the API server itself: a CRD serves this group and version"
                          : "the Service " +
                                std::string(live->string_at({"spec", "service", "namespace"})) +
                                "/" + std::string(other)) +
                     ": choose another group or version, or delete it")
        .at(place_of(name));
  }
  // insecureSkipTLSVerify excludes a caBundle.
  const bool skips = live.ok() && live->bool_at({"spec", "insecureSkipTLSVerify"});
  if (live.ok() && !skips && value::contains(*live, wanted)) {
    return {};
  }
  if (skips) {
    wanted.find("spec")->mutable_dict().set("insecureSkipTLSVerify", Value::boolean(false));
  }
  kube::ApplyOptions options;
  options.field_manager = kFieldManager;
  options.force = kube::Force::kYes;
  CW_TRY_DISCARD(client_.apply(wanted, options, call));
  log_.info(live.ok() ? "APIService corrected" : "APIService registered", {{"name", name}});
  return {};
}

base::Status Registration::ensure(const std::string& authorities, const kube::Call& call) {
  for (const auto& [group, versions] : groups_of(views_)) {
    for (const std::string& version : versions) {
      CW_TRY_VOID(ensure_one(api_service(group, version, service_, authorities), call));
    }
  }
  return {};
}

base::Status Registration::remove(const kube::Call& call) {
  for (const auto& [group, versions] : groups_of(views_)) {
    for (const std::string& version : versions) {
      const kube::ObjectRef ref{api_service_kind(), "", version + "." + group};
      const auto live = client_.get(ref, call);
      if (!live.ok() && live.error().code() == ErrorCode::kNotFound) {
        continue;
      }
      if (!live.ok()) {
        return live.error();
      }
      if (!is_ours(*live)) {
        continue;
      }
      kube::DeleteOptions options;
      options.uid = kube::uid_of(*live);
      const base::Status removed = client_.remove(ref, options, call);
      if (!removed.ok() && removed.error().code() != ErrorCode::kNotFound) {
        return removed.error();
      }
      log_.info("APIService removed", {{"name", ref.name}});
    }
  }
  return {};
}

base::Result<bool> Registration::has_service(const kube::Call& call) {
  const auto live = client_.get({{"", "v1", "Service"}, service_.ns, service_.name}, call);
  if (!live.ok() && live.error().code() == ErrorCode::kNotFound) {
    return false;
  }
  if (!live.ok()) {
    return live.error();
  }
  return !kube::is_deleting(*live);
}

}  // namespace chartwright::apiserver
