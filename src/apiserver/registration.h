// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "kube/client.h"
#include "views/view.h"

namespace chartwright::apiserver {

/// The Service through which the aggregator reaches a server.
struct ServiceRef {
  std::string ns;
  std::string name;
  int64_t port = 443;
};

/// Parses "NAMESPACE/NAME" or "NAMESPACE/NAME:PORT". Error: kInvalidArgument.
base::Result<ServiceRef> parse_service(std::string_view text);

/// Returns the APIService of a group and version, as it should be.
value::Value api_service(const std::string& group, const std::string& version,
                         const ServiceRef& service, const std::string& authorities);

/// The APIServices of a set of views. One that leads to another Service belongs to somebody else,
/// and is left alone.
class Registration {
 public:
  Registration(const std::vector<views::View>& views, ServiceRef service, kube::Client& client,
               base::Logger log);
  /// Creates or corrects the APIServices, so that they trust `authorities`. No writes if they are
  /// right. Errors: kOwnership, and those of the client.
  base::Status ensure(const std::string& authorities, const kube::Call& call);
  /// Deletes the APIServices. Errors: those of the client.
  base::Status remove(const kube::Call& call);
  /// Reports whether the Service exists and is not being deleted. Errors: those of the client.
  base::Result<bool> has_service(const kube::Call& call);

 private:
  base::Status ensure_one(const value::Value& wanted, const kube::Call& call);
  bool is_ours(const value::Value& live) const;
  base::SourcePos place_of(std::string_view name) const;

  const std::vector<views::View>& views_;
  const ServiceRef service_;
  kube::Client& client_;
  const base::Logger log_;
};

}  // namespace chartwright::apiserver
