// SPDX-License-Identifier: Apache-2.0
#include "process/chart_trial.h"

#include <initializer_list>

#include "history/trial.h"

namespace chartwright::process {
namespace {

/// Custom resources by what became of them.
struct Counts {
  size_t rendered = 0;
  size_t failed = 0;
  size_t unknown = 0;
};

class ChartTrial {
 public:
  ChartTrial(const op::Services& services, const base::Logger& log, const std::stop_token& stop)
      : log_(log),
        quiet_({}, services.clock, [](std::string_view /*line*/) {}),
        resources_{services.render_resources.gate, marks_, services.render_resources.memory},
        services_{services.client,
                  services.caches,
                  services.renderer,
                  resources_,
                  services.clock,
                  services.notices,
                  services.default_period,
                  services.history_max,
                  services.release_namespace,
                  services.suppress_override_values,
                  services.connections},
        context_{stop, quiet_, "", 0},
        end_(services.clock.monotonic() + kTrialTime) {}

  void run(const std::vector<bundle::Watch>& watches);

 private:
  void run(const bundle::Watch& watch, const value::Value& cr);
  void tell(const bundle::Watch& watch, const value::Value& cr, const base::Error& error) const;
  void sum_up() const;

  const base::Logger& log_;
  const base::Logger quiet_;
  // A worker may render the same custom resource meanwhile: its mark is not to be disturbed.
  host::RenderMarks marks_{"", quiet_};
  const host::RenderResources resources_;
  const op::Services services_;
  const runtime::ReconcileContext context_;
  const base::MonotonicTime end_;
  Counts counts_;
};

void ChartTrial::run(const std::vector<bundle::Watch>& watches) {
  for (const bundle::Watch& watch : watches) {
    for (const runtime::Stored& kept : services_.caches.custom_resources(watch.gvk)) {
      if (context_.stop.stop_requested()) {
        return;
      }
      if (services_.clock.monotonic() >= end_) {
        ++counts_.unknown;
        continue;
      }
      run(watch, observe::unpack_custom_resource(*kept));
    }
  }
  sum_up();
}

void ChartTrial::run(const bundle::Watch& watch, const value::Value& cr) {
  const auto trial = op::try_chart(watch, services_, context_, cr);
  if (!trial.ok()) {
    tell(watch, cr, trial.error());
    ++counts_.failed;
  } else if (*trial == op::Trial::kRenders) {
    ++counts_.rendered;
  } else if (*trial == op::Trial::kUnknown) {
    ++counts_.unknown;
  }
}

void ChartTrial::tell(const bundle::Watch& watch, const value::Value& cr,
                      const base::Error& error) const {
  if (counts_.failed >= kTrialsToldMax) {
    return;
  }
  log_.error("The changed chart does not render for a custom resource, which stays as it is", error,
             {{"apiVersion", watch.gvk.api_version()},
              {"kind", watch.gvk.kind},
              {"namespace", kube::namespace_of(cr)},
              {"name", kube::name_of(cr)}});
}

void ChartTrial::sum_up() const {
  constexpr std::string_view kMessage = "Rendered the changed charts";
  const std::initializer_list<base::LogField> fields = {
      {"rendered", counts_.rendered}, {"failed", counts_.failed}, {"unknown", counts_.unknown}};
  if (counts_.failed > 0) {
    log_.warn(kMessage, fields);
  } else {
    log_.info(kMessage, fields);
  }
}

}  // namespace

void try_charts(const std::vector<bundle::Watch>& watches, const op::Services& services,
                const base::Logger& log, const std::stop_token& stop) {
  ChartTrial(services, log, stop).run(watches);
}

}  // namespace chartwright::process
