// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cli/command.h"

namespace chartwright::cmd {

/// The commands with which a person looks at the custom resources of a cluster, and asks for work
/// on them. They need the rights of the caller and no operator at hand.
std::unique_ptr<Command> make_get_command();
std::unique_ptr<Command> make_status_command();
std::unique_ptr<Command> make_why_command();
std::unique_ptr<Command> make_history_command();
std::unique_ptr<Command> make_tree_command();
std::unique_ptr<Command> make_events_command();
std::unique_ptr<Command> make_logs_command();
std::unique_ptr<Command> make_wait_command();
std::unique_ptr<Command> make_export_command();
std::unique_ptr<Command> make_report_command();
std::unique_ptr<Command> make_pause_command();
std::unique_ptr<Command> make_resume_command();
std::unique_ptr<Command> make_reconcile_command();
std::unique_ptr<Command> make_rollback_command();

}  // namespace chartwright::cmd
