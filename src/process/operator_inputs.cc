// SPDX-License-Identifier: Apache-2.0
#include "process/operator_inputs.h"

#include <memory>
#include <utility>

#include "base/faults.h"
#include "base/file.h"
#include "bundle/watches.h"
#include "helm/chart/limits.h"
#include "host/remote_schemas.h"
#include "process/file_times.h"
#include "views/view_file.h"

namespace chartwright::process {
namespace {

using base::Error;

bundle::WatchesOptions watches_options(const InputFiles& files, base::Clock& clock,
                                       const base::Logger& log, const std::stop_token& stop) {
  bundle::WatchesOptions options;
  options.network = std::make_shared<host::RemoteSchemas>(clock, files.ca_file, stop);
  if (files.lenient) {
    options.on_unknown_key = [&log](const Error& error) {
      const base::SourcePos& pos = *error.pos();
      log.warn("Ignoring an unknown key of the watches file", {{"file", pos.file},
                                                               {"line", pos.line},
                                                               {"column", pos.column},
                                                               {"error", error.message()}});
    };
  }
  return options;
}

void warn_of_doubts(const std::vector<bundle::Watch>& watches, const base::Logger& log) {
  for (const bundle::Watch& watch : watches) {
    for (const Error& doubt : watch.bundle.doubts) {
      log.warn("A name in the operator folder is probably misspelt",
               {{"place", doubt.pos() ? doubt.pos()->to_string() : watch.chart_path},
                {"error", doubt.message()}});
    }
  }
}

}  // namespace

base::Result<OperatorInputs> load_inputs(const InputFiles& files, base::Clock& clock,
                                         const base::Logger& log, const std::stop_token& stop) {
  OperatorInputs inputs;
  // Taken first: if a file changes during the load, this is its old text, and the next load
  // differs.
  inputs.origin = base::read_file(files.watches_file, helm::kChartBytesMax).value_or("");
  if (!files.views_folder.empty()) {
    inputs.origin += '\0' + file_times({files.views_folder});
  }
  base::Faults faults;
  auto watches = bundle::load_watches(files.watches_file, clock, files.environment,
                                      watches_options(files, clock, log, stop));
  if (watches.ok()) {
    inputs.watches = *std::move(watches);
    warn_of_doubts(inputs.watches, log);
  } else {
    faults.add(std::move(watches).error());
  }
  if (!files.views_folder.empty()) {
    inputs.views = views::load_views(files.views_folder, faults);
    faults.add(views::check_groups(inputs.views, inputs.watches));
  }
  CW_TRY_VOID(faults.status());
  return inputs;
}

std::string identity_of(const OperatorInputs& inputs) {
  std::string text = inputs.origin;
  for (const bundle::Watch& watch : inputs.watches) {
    text += '\0' + watch.bundle.chart->digest();
  }
  return text;
}

std::vector<std::string> paths_of(const InputFiles& files, const OperatorInputs& inputs) {
  std::vector<std::string> paths = {files.watches_file};
  for (const bundle::Watch& watch : inputs.watches) {
    paths.push_back(watch.chart_path);
  }
  if (!files.views_folder.empty()) {
    paths.push_back(files.views_folder);
  }
  return paths;
}

}  // namespace chartwright::process
