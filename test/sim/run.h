// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/memory_server.h"
#include "sim/journal.h"
#include "test/sim/plan.h"
#include "test/sim/subject.h"

namespace chartwright::sim {

/// A run, for the oracles.
struct Record {
  Plan plan;
  Journal journal;
  model::MemoryServer::Backup end;  ///< The objects of the server in the end.
  std::string stuck;                ///< Why the run did not come to an end; empty if it did.
  std::vector<Incident> missed;     ///< Incidents of the plan whose occasion never came.
  std::vector<Deviation> deviations;
  uint64_t digest = 0;  ///< Equal for equal runs.
  uint64_t choices = 0;
};

/// Runs a plan about `subject`. Error: kParse for a step that cannot be read.
base::Result<Record> run(const Plan& plan, const LoadedSubject& subject);
/// Loads the subject, too. Errors: also those of load_subject.
base::Result<Record> run(const Plan& plan);

}  // namespace chartwright::sim
