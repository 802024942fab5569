// SPDX-License-Identifier: Apache-2.0
#include "cmd/state_folder.h"

#include <unistd.h>

#include <filesystem>

#include "base/digest.h"

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

std::string project_folder(const std::string& folder, const LocalProject& project) {
  constexpr size_t kDigits = 16;
  std::error_code error;
  const fs::path file = fs::weakly_canonical(project.watches_file, error);
  const std::string names = (error ? project.watches_file : file.string()) + "\n" + project.server;
  const fs::path own = fs::path(folder) / ("project-" + base::sha256_hex(names).substr(0, kDigits));
  fs::create_directory(own, error);
  return can_write(own.string()) ? own.string() : folder;
}

}  // namespace chartwright::cmd
