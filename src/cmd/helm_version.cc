// SPDX-License-Identifier: Apache-2.0
#include "cmd/helm_version.h"

#include <memory>

#include "cli/environment.h"
#include "go/quote.h"
#include "host/remote_schemas.h"

namespace chartwright::cmd {

void declare_helm_version(FlagSet& flags, std::string& into, bool* is_given) {
  Takes takes;
  for (const helm::Profile& profile : helm::profiles()) {
    takes.words.emplace_back(profile.name);
  }
  const std::string help = "version of Helm to render as: " + helm::profile_names();
  flags.text(into, {"helm-version", '\0', help, std::move(takes), {}, is_given});
}

base::Result<const helm::Profile*> selected_profile(const std::string& helm_version) {
  if (const helm::Profile* profile = helm::find_profile(helm_version)) {
    return profile;
  }
  return base::Error(
      base::ErrorCode::kInvalidArgument,
      "--helm-version " + go::quote(helm_version) + " is not one of " + helm::profile_names());
}

helm::SchemaSources schemas_as_helm(base::Clock& clock) {
  return {helm::SchemaSources::Vendored::kIgnored,
          std::make_shared<host::RemoteSchemas>(clock, ca_file_of_environment())};
}

}  // namespace chartwright::cmd
