// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chartwright::base {

/// Label names and values of one time series. Values must come from configuration (a controller's
/// name, a verb), never from custom resources, so that the number of series stays bounded.
using MetricLabels = std::vector<std::pair<std::string, std::string>>;

/// A number that only increases. Thread-safe.
class Counter {
 public:
  virtual ~Counter() = default;
  /// `amount` must not be negative.
  virtual void increment(double amount = 1) = 0;
};

/// A number that can go up and down. Thread-safe.
class Gauge {
 public:
  virtual ~Gauge() = default;
  virtual void set(double value) = 0;
  virtual void add(double amount) = 0;
};

/// Counts observations in buckets by size. Thread-safe.
class Histogram {
 public:
  virtual ~Histogram() = default;
  virtual void observe(double value) = 0;
};

/// Name and help text of a metric. The name ends with its unit (`_seconds`, `_bytes`, `_total`).
struct MetricInfo {
  std::string name;
  std::string help;
};

/// The metrics of the process. counter, gauge and histogram return the series with that name and
/// those labels, creating it at 0 if needed; the reference lives as long as the Metrics. They abort
/// if a name is malformed or is used for two kinds of metric. Thread-safe.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  Counter& counter(const MetricInfo& info, const MetricLabels& labels = {});
  Gauge& gauge(const MetricInfo& info, const MetricLabels& labels = {});
  /// `bounds` are the buckets' inclusive upper bounds, in ascending order. The bounds of the first
  /// call for a name apply to all its series.
  Histogram& histogram(const MetricInfo& info, const std::vector<double>& bounds,
                       const MetricLabels& labels = {});

  /// Returns all metrics in Prometheus' text format 0.0.4, sorted by name and labels.
  std::string expose() const;

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

/// Content-Type of the text that `expose` returns.
inline constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace chartwright::base
