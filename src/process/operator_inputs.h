// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "bundle/override_expansion.h"
#include "bundle/watch.h"
#include "views/view.h"

namespace chartwright::process {

/// The files that say what an operator does, and how they are read.
struct InputFiles {
  std::string watches_file;
  std::string views_folder;         ///< "": no views are served.
  bool lenient = false;             ///< Unknown keys of the watches file are logged, not refused.
  bundle::Environment environment;  ///< For override values.
  std::string ca_file;  ///< Authorities that are trusted for schemas; "": the machine's.
};

/// The contents of these files.
struct OperatorInputs {
  std::vector<bundle::Watch> watches;
  std::vector<views::View> views;
  /// The text of the watches file, and the times of the views.
  std::string origin;
};

/// Loads the watches file, the charts that it names, and the views. Loads over the network end soon
/// after `stop` is requested. Errors: those of bundle::load_watches and views::load_views.
base::Result<OperatorInputs> load_inputs(const InputFiles& files, base::Clock& clock,
                                         const base::Logger& log, const std::stop_token& stop);

/// Returns a text that is the same for inputs with the same contents, and only for them. A view
/// that is written again as it was is another one: the time of its file is the version of its
/// objects.
std::string identity_of(const OperatorInputs& inputs);

/// Returns the files and folders that `inputs` were loaded from.
std::vector<std::string> paths_of(const InputFiles& files, const OperatorInputs& inputs);

}  // namespace chartwright::process
