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

/// A project on a cluster, which a local operator runs.
struct LocalProject {
  std::string watches_file;
  std::string server;  ///< The address of the API server.
};

/// Returns the folder below `folder`, a user's folder for state, that is the project's own and is
/// made: what one operator notes of its renders must not be read or written over by another one.
/// If it cannot be made, `folder`.
std::string project_folder(const std::string& folder, const LocalProject& project);

}  // namespace chartwright::cmd
