// SPDX-License-Identifier: Apache-2.0
#include "cmd/commands.h"

#include "console/commands.h"
#include "migration/commands.h"

namespace chartwright::cmd {
namespace {

constexpr std::string_view kHelmOperator = "helm-operator";
constexpr std::string_view kPlugin = "kubectl-chartwright";
constexpr std::string_view kPluginCompletion = "kubectl_complete-chartwright";

/// The architecture in Go's words.
constexpr std::string_view kGoArchitecture =
#if defined(__x86_64__)
    "amd64";
#elif defined(__aarch64__)
    "arm64";
#elif defined(__powerpc64__)
    "ppc64le";
#else
    "unknown";
#endif

/// Returns the line that helm-operator prints. Its version is that of the helm-operator whose
/// behaviour this is, with ours as build metadata, which comparisons of versions leave out.
/// Source: operator-framework/operator-sdk internal/cmd/helm-operator/version/cmd.go.
std::string helm_operator_version() {
  return "helm-operator version: \"v1.42.3+chartwright." CW_VERSION
         "\", commit: \"unknown\", kubernetes version: \"v1.33.1\", go version: \"none\", "
         "GOOS: \"linux\", GOARCH: \"" +
         std::string(kGoArchitecture) + "\"\n";
}

}  // namespace

CommandTable all_commands() {
  CommandTable commands;
  commands.push_back(make_run_command(UnknownKeys::kRefuse));
  commands.push_back(make_serve_command());
  commands.push_back(make_template_command());
  commands.push_back(make_lint_command());
  commands.push_back(make_test_command());
  commands.push_back(make_generate_command());
  commands.push_back(make_init_command());
  commands.push_back(make_create_command());
  commands.push_back(make_get_command());
  commands.push_back(make_status_command());
  commands.push_back(make_why_command());
  commands.push_back(make_tree_command());
  commands.push_back(make_events_command());
  commands.push_back(make_logs_command());
  commands.push_back(make_history_command());
  commands.push_back(make_rollback_command());
  commands.push_back(make_pause_command());
  commands.push_back(make_resume_command());
  commands.push_back(make_reconcile_command());
  commands.push_back(make_wait_command());
  commands.push_back(make_export_command());
  commands.push_back(make_report_command());
  commands.push_back(make_doctor_command());
  commands.push_back(make_diff_command());
  commands.push_back(make_migrate_command(declarations(*make_run_command(UnknownKeys::kWarn))));
  commands.push_back(make_vendor_schemas_command());
  commands.push_back(make_version_command("chartwright " CW_VERSION "\n"));
  commands.push_back(make_completion_command());
  commands.push_back(make_man_command());
  return commands;
}

Program program_called(std::string_view called_as) {
  const std::string_view name = called_as.substr(called_as.find_last_of('/') + 1);
  if (name != kHelmOperator) {
    return {name == kPlugin ? "kubectl chartwright" : "chartwright",
            "Turn any Helm chart into a Kubernetes operator.", all_commands(),
            name == kPluginCompletion};
  }
  Program program{kHelmOperator, "Chartwright in the place of operator-sdk's helm-operator.", {}};
  program.commands.push_back(make_run_command(UnknownKeys::kWarn));
  program.commands.push_back(make_version_command(helm_operator_version()));
  return program;
}

}  // namespace chartwright::cmd
