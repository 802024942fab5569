// SPDX-License-Identifier: Apache-2.0
#include "cmd/suite_programs.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/child_program.h"
#include "base/unicode.h"
#include "cli/environment.h"
#include "go/quote.h"

namespace chartwright::cmd {
namespace {

using base::Error;

constexpr base::Duration kTimeMax = std::chrono::minutes(1);
constexpr size_t kOutputBytesMax = size_t{16} << 20;
constexpr size_t kErrorBytesMax = 4096;

// Each is the whole name of a variable with "=", or the front of several.
constexpr std::array<std::string_view, 9> kPassedOn = {
    "PATH=", "HOME=", "USER=", "LOGNAME=", "TMPDIR=", "TZ=", "LANG=", "LC_", "XDG_"};

std::vector<std::string> passed_environment() {
  std::vector<std::string> variables = environment_variables();
  std::erase_if(variables, [](const std::string& variable) {
    return std::ranges::none_of(
        kPassedOn, [&](std::string_view front) { return variable.starts_with(front); });
  });
  return variables;
}

base::Result<std::string> run(const suite::PostRenderer& renderer, const std::string& manifests,
                              const base::Clock& clock, const std::stop_token& stop) {
  const auto path = base::find_program(renderer.program, environment("PATH").value_or(""));
  if (!path.ok()) {
    return Error(base::ErrorCode::kInvalidArgument, "unable to find binary at " + renderer.program +
                                                        ": exec: " + go::quote(renderer.program) +
                                                        ": " + path.error().message());
  }
  const std::string front = "post-render failed: error while running command " + *path;
  auto ending = base::run_program({.path = *path,
                                   .arguments = renderer.arguments,
                                   .environment = passed_environment(),
                                   .err = base::ChildProgram::Stderr::kCapture,
                                   .output_bytes_max = kOutputBytesMax,
                                   .timeout = kTimeMax,
                                   .has_own_group = true},
                                  manifests, clock, stop);
  if (!ending.ok()) {
    return Error(ending.error().code(), front + ": " + ending.error().message());
  }
  if (!ending->failure.empty()) {
    return Error(base::ErrorCode::kInvalidArgument,
                 front + ". error output:\n" +
                     base::shortened(std::move(ending->err), kErrorBytesMax) + ": " +
                     ending->failure);
  }
  return std::move(ending->out);
}

}  // namespace

suite::PostRender suite_programs(const base::Clock& clock, std::stop_token stop) {
  return [&clock, stop = std::move(stop)](const suite::PostRenderer& renderer,
                                          const std::string& manifests) {
    return run(renderer, manifests, clock, stop);
  };
}

}  // namespace chartwright::cmd
