// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "helm/render/cluster_reader.h"
#include "host/secret_mask.h"
#include "kube/client.h"

namespace chartwright::host {

/// An object or list that a render looked up, and its version at that time.
struct Lookup {
  std::string api_version;
  std::string kind;
  std::string ns;
  std::string name;     ///< Empty for a list.
  std::string version;  ///< resourceVersion, or uid and resourceVersion of each item; empty: none.
};

/// Implements the template function `lookup` with an API server, and records each lookup, because
/// the render depends on it. Serves one render, and the ones that explain why it failed. After a
/// timeout it sends no more requests. Blocks.
class ClusterLookup final : public helm::ClusterReader {
 public:
  /// Both must outlive it.
  ClusterLookup(kube::Client& client, const kube::Call& call) : client_(client), call_(call) {}
  base::Result<value::Value> get(const helm::LookupKey& key) override;
  base::Result<value::Value> list(const helm::LookupKey& key) override;
  const std::vector<Lookup>& lookups() const { return lookups_; }
  /// Masks the contents of the Secrets that were found.
  const SecretMask& secrets() const { return secrets_; }

 private:
  base::Result<value::Value> find(const helm::LookupKey& key);
  base::Result<kube::ListPage> find_all(const helm::LookupKey& key);
  /// Returns the error of a call, and records it if it is a timeout.
  base::Error ended(base::Error error);

  kube::Client& client_;
  const kube::Call& call_;
  std::vector<Lookup> lookups_;
  SecretMask secrets_;
  std::optional<base::Error> timeout_;  ///< The first timeout.
};

/// Repeats the lookups, all within the timeout of `call`, and returns a string that stays the same
/// for as long as none of the results changes. Errors: those of the client, except kNotFound.
base::Result<std::string> current_versions(const std::vector<Lookup>& lookups, kube::Client& client,
                                           const kube::Call& call, const base::Clock& clock);
/// Returns the same kind of string for the results that the lookups had.
std::string seen_versions(const std::vector<Lookup>& lookups);
/// Returns a key that combines `key` and such a string, and has the length of `key`.
std::string with_lookups(const std::string& key, const std::string& versions);

}  // namespace chartwright::host
