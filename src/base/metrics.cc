// SPDX-License-Identifier: Apache-2.0
#include "base/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <map>

#include "base/ascii.h"
#include "base/check.h"
#include "base/mutex.h"

namespace chartwright::base {
namespace {

class CounterSeries final : public Counter {
 public:
  explicit CounterSeries(prometheus::Counter& series) : series_(series) {}
  void increment(double amount) override { series_.Increment(amount); }

 private:
  prometheus::Counter& series_;
};

class GaugeSeries final : public Gauge {
 public:
  explicit GaugeSeries(prometheus::Gauge& series) : series_(series) {}
  void set(double value) override { series_.Set(value); }
  void add(double amount) override { series_.Increment(amount); }

 private:
  prometheus::Gauge& series_;
};

class HistogramSeries final : public Histogram {
 public:
  explicit HistogramSeries(prometheus::Histogram& series) : series_(series) {}
  void observe(double value) override { series_.Observe(value); }

 private:
  prometheus::Histogram& series_;
};

using Labels = std::map<std::string, std::string>;

bool is_name(std::string_view name) {
  const auto is_letter = [](char c) { return is_ascii_letter(c) || c == '_'; };
  const auto fits = [&](char c) { return is_letter(c) || is_ascii_digit(c); };
  return !name.empty() && is_letter(name[0]) && !name.starts_with("__") &&
         std::all_of(name.begin(), name.end(), fits);
}

Labels checked_labels(const MetricLabels& labels) {
  Labels out(labels.begin(), labels.end());
  CW_CHECK(out.size() == labels.size());
  for (const auto& [name, value] : out) {
    CW_CHECK(is_name(name));
  }
  return out;
}

// A metric name: the library's family and our handles for its series.
template <typename Series, typename Metric>
struct Family {
  prometheus::Family<Metric>* family = nullptr;
  std::vector<double> bounds;  // For histograms.
  std::map<Labels, std::unique_ptr<Series>> series;
};

void sort_series(prometheus::MetricFamily& family) {
  std::sort(family.metric.begin(), family.metric.end(),
            [](const prometheus::ClientMetric& a, const prometheus::ClientMetric& b) {
              return std::lexicographical_compare(a.label.begin(), a.label.end(), b.label.begin(),
                                                  b.label.end(), [](const auto& x, const auto& y) {
                                                    return std::pair(x.name, x.value) <
                                                           std::pair(y.name, y.value);
                                                  });
            });
}

}  // namespace

struct Metrics::State {
  prometheus::Registry registry;
  Mutex mutex;
  std::map<std::string, Family<CounterSeries, prometheus::Counter>> counters CW_GUARDED_BY(mutex);
  std::map<std::string, Family<GaugeSeries, prometheus::Gauge>> gauges CW_GUARDED_BY(mutex);
  std::map<std::string, Family<HistogramSeries, prometheus::Histogram>> histograms
      CW_GUARDED_BY(mutex);

  // Returns how many kinds of metric use `name`. More than one would make two metrics share it.
  size_t kinds_with(const std::string& name) CW_REQUIRES(mutex) {
    return counters.count(name) + gauges.count(name) + histograms.count(name);
  }

  // Returns the family that `info` names. `build` registers it on first use.
  template <typename Families, typename Build>
  typename Families::mapped_type& family_of(Families& families, const MetricInfo& info, Build build)
      CW_REQUIRES(mutex) {
    auto& entry = families[info.name];
    CW_CHECK(is_name(info.name) && kinds_with(info.name) == 1);
    if (entry.family == nullptr) {
      entry.family = &build().Name(info.name).Help(info.help).Register(registry);
    }
    return entry;
  }
};

Metrics::Metrics() : state_(std::make_unique<State>()) {}
Metrics::~Metrics() = default;

Counter& Metrics::counter(const MetricInfo& info, const MetricLabels& labels) {
  Labels key = checked_labels(labels);
  MutexLock lock(state_->mutex);
  auto& family = state_->family_of(state_->counters, info, prometheus::BuildCounter);
  auto& series = family.series[key];
  if (series == nullptr) {
    series = std::make_unique<CounterSeries>(family.family->Add(key));
  }
  return *series;
}

Gauge& Metrics::gauge(const MetricInfo& info, const MetricLabels& labels) {
  Labels key = checked_labels(labels);
  MutexLock lock(state_->mutex);
  auto& family = state_->family_of(state_->gauges, info, prometheus::BuildGauge);
  auto& series = family.series[key];
  if (series == nullptr) {
    series = std::make_unique<GaugeSeries>(family.family->Add(key));
  }
  return *series;
}

Histogram& Metrics::histogram(const MetricInfo& info, const std::vector<double>& bounds,
                              const MetricLabels& labels) {
  CW_CHECK(!bounds.empty() && std::is_sorted(bounds.begin(), bounds.end()));
  Labels key = checked_labels(labels);
  MutexLock lock(state_->mutex);
  auto& family = state_->family_of(state_->histograms, info, prometheus::BuildHistogram);
  if (family.bounds.empty()) {
    family.bounds = bounds;
  }
  auto& series = family.series[key];
  if (series == nullptr) {
    series = std::make_unique<HistogramSeries>(family.family->Add(key, family.bounds));
  }
  return *series;
}

std::string Metrics::expose() const {
  std::vector<prometheus::MetricFamily> families = state_->registry.Collect();
  for (prometheus::MetricFamily& family : families) {
    sort_series(family);
  }
  std::sort(families.begin(), families.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace chartwright::base
