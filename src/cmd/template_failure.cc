// SPDX-License-Identifier: Apache-2.0
#include "cmd/template.h"

namespace chartwright::cmd {
namespace {

constexpr std::string_view kDebugHint = "\n\nUse --debug flag to render out invalid YAML";

/// Prints all errors but the last, and returns that one for the command to print.
base::Error print_all(base::Error first, const helm::RenderRequest& request, Streams& streams) {
  base::Error last = std::move(first);
  const std::vector<base::Error> all = helm::all_errors(request);
  for (size_t i = 1; i < all.size(); ++i) {
    print_error(last, streams);
    streams.err("\n");
    last = all[i];
  }
  return last;
}

}  // namespace

base::Error with_debug_hint(const base::Error& error, const TemplateOptions& options) {
  base::Error hinted(error.code(), error.message() + std::string(options.debug ? "" : kDebugHint));
  return std::move(hinted).with_help(error.help());
}

base::Error template_failure(base::Error error, FailedStage stage,
                             const helm::RenderRequest& request, const TemplateRun& run) {
  if (stage == FailedStage::kRender && run.options.debug) {
    const helm::UnsortedText text = helm::unsorted_text(request);
    helm::Rendered unsorted;
    unsorted.hooks = text.hooks;
    TemplateOutput output(run, request.loaded.profile().split);
    if (auto status = output.print(unsorted, text.files); !status.ok()) {
      return std::move(status).error();
    }
  } else if (stage == FailedStage::kRender) {
    error = with_debug_hint(error, run.options);
  }
  return run.options.all_errors ? print_all(std::move(error), request, run.streams) : error;
}

}  // namespace chartwright::cmd
