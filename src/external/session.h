// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "external/connections.h"
#include "external/external.h"
#include "external/machine.h"
#include "external/memory.h"
#include "external/settings.h"
#include "external/surroundings.h"
#include "host/secret_mask.h"

namespace chartwright::external {

/// The calls about one external of one custom resource. Blocks. For one thread.
class Session {
 public:
  /// The part that all sessions of a run share.
  struct Shared {
    Surroundings& surroundings;
    Connections& connections;
    const kube::Call& call;     ///< The timeout of the external replaces that of the call.
    host::SecretMask& secrets;  ///< Gets those that are read.
    const value::Value& scope;  ///< With `.External`.
    /// The credentials of earlier sessions of the external. They stand in for Secrets that are
    /// gone, in a session that deletes, and are replaced by those of this one.
    Credentials& known;
    Goal goal = Goal::kPresent;
  };

  /// The references must outlive it.
  Session(const External& external, const Shared& shared) : external_(external), shared_(shared) {}

  // Settings. Errors: those of the templates and of settings.h.
  base::Result<base::Duration> resync();
  base::Result<base::Duration> timeout();
  base::Result<DeletionPolicy> deletion_policy();

  /// Asks for the object with that id. Never kUnknown. Errors: those of Connection::call, of
  /// templates, and kParse for a reply of another shape.
  base::Result<Seen> observe(const std::string& id);
  /// Returns the ids of the objects that `adopt` takes for ours. Errors: as observe.
  /// `sent` is the body of the create, as it was recorded.
  base::Result<std::vector<std::string>> search(const std::string& sent);
  /// Returns the body of the create, as JSON. Errors: those of templates.
  base::Result<std::string> create_body();
  /// Returns the id of the new object. Errors: as observe. Unless was_refused() of the error, there
  /// may be a new object.
  /// `key` is the same for all attempts to create one object.
  base::Result<std::string> create(const std::string& key, const std::string& body);
  base::Status update(const std::string& id);
  base::Status remove(const std::string& id);

 private:
  using Members = std::vector<std::pair<std::string_view, value::Value>>;

  base::Result<std::string> text_of(const Expression& expression, const Members& members);
  base::Result<std::string> evaluate(const Expression& expression, const Members& members,
                                     const helm::RenderContext& context) const;
  base::Result<bool> verdict(const Expression& expression, const Members& members,
                             const helm::RenderContext& context) const;
  value::Value dot_with(const Members& members) const;

  base::Result<std::shared_ptr<Connection>> connection();
  base::Result<HttpEndpoint> http_endpoint(const HttpDriver& driver);
  base::Result<GrpcEndpoint> grpc_endpoint(const GrpcDriver& driver);
  base::Result<std::string> bearer(const std::optional<SecretMember>& token);
  base::Result<std::string> basic(const BasicAuth& auth);
  template <typename Driver>
  base::Result<std::string> authorization(const Driver& driver);
  template <typename Endpoint>
  base::Status read_tls(const Tls& tls, Endpoint& endpoint);
  base::Result<std::string> secret_member(const std::string& secret, const std::string& key);
  base::Result<std::string> recalled_member(const std::string& secret, const std::string& key);
  base::Result<std::string> named_member(const SecretMember& member);
  base::Status check_recalled() const;
  void keep_credentials(const base::Result<Reply>& reply);

  base::Result<std::string> body_of(const CallTemplate& call, const Members& members);
  base::Result<Reply> call(const CallTemplate& call, const Members& members, Repeat repeat);
  base::Result<Reply> send(const Request& request);
  base::Result<value::Value> parse(const Reply& reply);
  base::Result<std::vector<value::Value>> items(const CallTemplate& call, const Reply& reply);
  base::Result<std::optional<value::Value>> find(const std::string& id);
  base::Result<std::optional<value::Value>> choose(const std::string& id,
                                                   const std::vector<value::Value>& items);
  base::Result<bool> is_current(const std::string& id, const value::Value& item);
  base::Result<std::string> usable_id(const std::string& rendered) const;

  const External& external_;
  const Shared shared_;
  std::shared_ptr<Connection> connection_;
  Credentials read_;      ///< Those of `connection_`, and its server.
  std::string recalled_;  ///< A Secret that is gone, whose content was known; empty: none.
  std::string trust_;     ///< Which settings the server is verified by; empty: it is not.
};

}  // namespace chartwright::external
