// SPDX-License-Identifier: Apache-2.0
#include "suite/render_folder.h"

#include <filesystem>
#include <system_error>

#include "base/file.h"

namespace chartwright::suite {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

/// Makes a folder whose parent exists.
base::Status make_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(folder, error))) {
    return Error(ErrorCode::kInvalidArgument,
                 "renders are not written through the link " + folder.string() + ": remove it");
  }
  fs::create_directory(folder, error);
  if (error) {
    return Error(ErrorCode::kInternal, "mkdir " + folder.string() + ": " + error.message());
  }
  return {};
}

}  // namespace

base::Status keep_render(std::string_view folder, const std::string& file, std::string_view text) {
  const fs::path relative = fs::path(file).lexically_normal();
  if (relative.empty() || relative.is_absolute() || *relative.begin() == "..") {
    return Error(ErrorCode::kInvalidArgument, "the render of \"" + file +
                                                  "\" is not written: the path leads out of " +
                                                  std::string(folder));
  }
  fs::path at(folder);
  CW_TRY_VOID(make_folder(at));
  for (const fs::path& part : relative.parent_path()) {
    at /= part;
    CW_TRY_VOID(make_folder(at));
  }
  return base::replace_file((at / relative.filename()).string(), text);
}

}  // namespace chartwright::suite
