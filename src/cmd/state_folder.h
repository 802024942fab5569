// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace chartwright::cmd {

/// The folder for state in an image, which is the default of --state-dir.
inline constexpr const char* kStateFolder = "/var/lib/chartwright";

/// The variables that name a user's own folders.
struct UserFolders {
  std::optional<std::string> xdg_state_home;
  std::optional<std::string> home;
};

/// Returns the folder for state if no flag names one, out of a cluster: `usual`, or where that
/// cannot be written to, chartwright/ in the user's own folder for state, which is made. If there
/// is none either, `usual`. Source: the XDG Base Directory Specification, which ignores a path that
/// is relative.
std::string state_folder(const std::string& usual, const UserFolders& user);

}  // namespace chartwright::cmd
