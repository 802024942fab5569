// SPDX-License-Identifier: Apache-2.0
#include "cmd/state_folder.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "test/base/temporary_directory.h"

namespace chartwright::cmd {

namespace fs = std::filesystem;

TEST_CASE("The usual folder for state is used if it can be") {
  const base::TemporaryDirectory usual;
  CHECK(state_folder(usual.path(), {"/none", "/none"}) == usual.path());
}

TEST_CASE("A user without the usual folder for state has one below XDG_STATE_HOME or HOME") {
  const base::TemporaryDirectory user;
  const std::string xdg = user.path() + "/xdg/state";
  const std::string home = user.path() + "/home";
  CHECK(state_folder("/none", {xdg, home}) == xdg + "/chartwright");
  CHECK(fs::status(xdg + "/chartwright").permissions() == fs::perms::owner_all);
  CHECK(!fs::exists(home));
  CHECK(state_folder("/none", {xdg, home}) == xdg + "/chartwright");
  CHECK(state_folder("/none", {"relative", home}) == home + "/.local/state/chartwright");
  CHECK(state_folder("/none", {std::nullopt, home}) == home + "/.local/state/chartwright");
}

TEST_CASE("Where no folder for state can be written to, it is the usual one") {
  CHECK(state_folder("/none", {std::nullopt, std::nullopt}) == "/none");
  CHECK(state_folder("/none", {"/dev/null", std::nullopt}) == "/none");
}

TEST_CASE("Each project of a user has its own folder for state on each cluster") {
  const base::TemporaryDirectory user;
  const std::string first = project_folder(user.path(), {"/a/watches.yaml", "https://one"});
  CHECK(fs::path(first).parent_path() == user.path());
  CHECK(fs::is_directory(first));
  CHECK(project_folder(user.path(), {"/a/b/../watches.yaml", "https://one"}) == first);
  CHECK(project_folder(user.path(), {"/b/watches.yaml", "https://one"}) != first);
  CHECK(project_folder(user.path(), {"/a/watches.yaml", "https://two"}) != first);
  CHECK(project_folder("/none", {"/a/watches.yaml", "https://one"}) == "/none");
}

}  // namespace chartwright::cmd
