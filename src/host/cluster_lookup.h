// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "helm/render/cluster_reader.h"
#include "host/secret_mask.h"
#include "kube/client.h"

namespace chartwright::host {

/// One thing that a render looked up, and what it was then.
struct Lookup {
  std::string api_version;
  std::string kind;
  std::string ns;
  std::string name;     ///< Empty for a list.
  std::string version;  ///< resourceVersion of the object or list; empty: there was none.
};

/// Templates' `lookup` over the API server, remembering what was asked: a render depends on it.
/// Serves one render, and what renders again to explain why that failed; once the server has let a
/// question time out, it is asked no further one. Blocks.
class ClusterLookup final : public helm::ClusterReader {
 public:
  /// Both must outlive it.
  ClusterLookup(kube::Client& client, const kube::Call& call) : client_(client), call_(call) {}
  base::Result<value::Value> get(const helm::LookupKey& key) override;
  base::Result<value::Value> list(const helm::LookupKey& key) override;
  const std::vector<Lookup>& lookups() const { return lookups_; }
  /// Of the Secrets that were found.
  const SecretMask& secrets() const { return secrets_; }

 private:
  base::Result<value::Value> find(const helm::LookupKey& key);
  base::Result<kube::ListPage> find_all(const helm::LookupKey& key);
  /// Of a call that `error` ended: `error`, remembered if it is a timeout.
  base::Error ended(base::Error error);

  kube::Client& client_;
  const kube::Call& call_;
  std::vector<Lookup> lookups_;
  SecretMask secrets_;
  std::optional<base::Error> timeout_;  ///< The server's first.
};

/// Asks again for what was looked up, all within one timeout of `call`, and returns a text that is
/// the same as long as nothing of it changed. Errors: of the client, but for kNotFound.
base::Result<std::string> current_versions(const std::vector<Lookup>& lookups, kube::Client& client,
                                           const kube::Call& call, const base::Clock& clock);
/// The same text for what the lookups found.
std::string seen_versions(const std::vector<Lookup>& lookups);
/// A key of `key` and of such a text, as long as `key`.
std::string with_lookups(const std::string& key, const std::string& versions);

}  // namespace chartwright::host
