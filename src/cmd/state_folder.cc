// SPDX-License-Identifier: Apache-2.0
#include "cmd/state_folder.h"

#include <unistd.h>

#include <filesystem>

namespace chartwright::cmd {
namespace {

namespace fs = std::filesystem;

bool can_write(const std::string& folder) {
  std::error_code error;
  return fs::is_directory(folder, error) && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

std::optional<fs::path> user_state(const UserFolders& user) {
  if (user.xdg_state_home && user.xdg_state_home->starts_with('/')) {
    return *user.xdg_state_home;
  }
  if (user.home && user.home->starts_with('/')) {
    return fs::path(*user.home) / ".local/state";
  }
  return std::nullopt;
}

}  // namespace

std::string state_folder(const std::string& usual, const UserFolders& user) {
  const std::optional<fs::path> own = user_state(user);
  if (can_write(usual) || !own) {
    return usual;
  }
  const fs::path folder = *own / "chartwright";
  std::error_code error;
  fs::create_directories(*own, error);
  if (fs::create_directory(folder, error)) {
    fs::permissions(folder, fs::perms::owner_all, error);  // It has a key.
  }
  return can_write(folder.string()) ? folder.string() : usual;
}

}  // namespace chartwright::cmd
