// SPDX-License-Identifier: Apache-2.0
#include "cmd/helm_version.h"

#include "tmpl/quote.h"

namespace chartwright::cmd {

void declare_helm_version(FlagSet& flags, std::string& into) {
  Takes takes;
  for (const chart::Profile& profile : chart::profiles()) {
    takes.words.emplace_back(profile.name);
  }
  const std::string help = "version of Helm to render as: " + chart::profile_names();
  flags.text(into, {"helm-version", '\0', help, std::move(takes)});
}

base::Result<const chart::Profile*> selected_profile(const std::string& helm_version) {
  if (const chart::Profile* profile = chart::find_profile(helm_version)) {
    return profile;
  }
  return base::Error(
      base::ErrorCode::kInvalidArgument,
      "--helm-version " + tmpl::quote(helm_version) + " is not one of " + chart::profile_names());
}

}  // namespace chartwright::cmd
