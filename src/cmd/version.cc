// SPDX-License-Identifier: Apache-2.0
#include "cmd/commands.h"

namespace chartwright::cmd {
namespace {

class VersionCommand final : public Command {
 public:
  std::string_view name() const override { return "version"; }
  std::string_view summary() const override { return "Print the version"; }
  void declare(FlagSet& /*flags*/) override {}
  base::Result<int> run(Streams& streams) override {
    streams.out("chartwright " CW_VERSION "\n");
    return kExitOk;
  }
};

}  // namespace

std::unique_ptr<Command> make_version_command() { return std::make_unique<VersionCommand>(); }

}  // namespace chartwright::cmd
