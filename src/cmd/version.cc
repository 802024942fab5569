// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cmd/commands.h"

namespace chartwright::cmd {
namespace {

class VersionCommand final : public Command {
 public:
  explicit VersionCommand(std::string text) : text_(std::move(text)) {}
  std::string_view name() const override { return "version"; }
  std::string_view summary() const override { return "Print the version"; }
  void declare(FlagSet& /*flags*/) override {}
  base::Result<int> run(Streams& streams) override {
    streams.out(text_);
    return kExitOk;
  }

 private:
  const std::string text_;
};

}  // namespace

std::unique_ptr<Command> make_version_command(std::string text) {
  return std::make_unique<VersionCommand>(std::move(text));
}

}  // namespace chartwright::cmd
