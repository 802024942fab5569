// SPDX-License-Identifier: Apache-2.0
#include "cmd/post_renderer.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/child_program.h"
#include "cli/environment.h"
#include "go/quote.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;

constexpr size_t kOutputBytesMax = size_t{256} << 20;

Error failed(const PostRenderer& renderer, const std::string& stderr_text, std::string_view why) {
  return Error(ErrorCode::kInvalidArgument,
               "error while running post render on files: error while running command " +
                   renderer.program + ". error output:\n" + stderr_text + ": " + std::string(why));
}

}  // namespace

base::Status locate(PostRenderer& renderer) {
  if (renderer.program.empty()) {
    return {};
  }
  const std::string& given = renderer.program;
  auto found = base::find_program(given, environment("PATH").value_or(""));
  if (!found.ok()) {
    return Error(ErrorCode::kInvalidArgument,
                 "invalid argument " + go::quote(given) +
                     " for \"--post-renderer\" flag: unable to find binary at " + given +
                     ": exec: " + go::quote(given) + ": " + found.error().message());
  }
  std::error_code error;
  renderer.program = std::filesystem::absolute(*found, error).lexically_normal().string();
  if (error) {
    return Error(ErrorCode::kInternal, "getwd: " + error.message());
  }
  return {};
}

base::Result<std::string> post_render(const PostRenderer& renderer, const std::string& manifests) {
  const base::SystemClock clock;
  auto ending = base::run_program({.path = renderer.program,
                                   .arguments = renderer.arguments,
                                   .environment = environment_variables(),
                                   .err = base::ChildProgram::Stderr::kCapture,
                                   .output_bytes_max = kOutputBytesMax},
                                  manifests, clock, {});
  if (!ending.ok()) {
    return Error(ending.error().code(), failed(renderer, "", ending.error().message()).message());
  }
  if (!ending->failure.empty()) {
    return failed(renderer, ending->err, ending->failure);
  }
  return std::move(ending->out);
}

}  // namespace chartwright::cmd
