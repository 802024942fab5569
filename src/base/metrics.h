// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chartwright::base {

/// Label names and values of one time series. Values come from configuration (a controller's name,
/// a verb), never from custom resources, so that the number of series stays bounded.
using MetricLabels = std::vector<std::pair<std::string, std::string>>;

/// A number that only grows. Thread-safe.
class Counter {
 public:
  virtual ~Counter() = default;
  /// `amount` is not negative.
  virtual void increment(double amount = 1) = 0;
};

/// A number that goes up and down. Thread-safe.
class Gauge {
 public:
  virtual ~Gauge() = default;
  virtual void set(double value) = 0;
  virtual void add(double amount) = 0;
};

/// Observations counted by size. Thread-safe.
class Histogram {
 public:
  virtual ~Histogram() = default;
  virtual void observe(double value) = 0;
};

/// Name and help text of a metric; units stand last in the name (`_seconds`, `_bytes`, `_total`).
struct MetricInfo {
  std::string name;
  std::string help;
};

/// The process's metrics, handed to whoever counts something. Each call below returns the series of
/// that name and those labels, made at 0 when it is new; the reference lives as long as the
/// Metrics. Aborts when a name is malformed or is used for two kinds of metric. Thread-safe.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  Counter& counter(const MetricInfo& info, const MetricLabels& labels = {});
  Gauge& gauge(const MetricInfo& info, const MetricLabels& labels = {});
  /// `bounds` are the buckets' inclusive upper bounds, ascending; those of a name's first call
  /// hold for all its series.
  Histogram& histogram(const MetricInfo& info, const std::vector<double>& bounds,
                       const MetricLabels& labels = {});

  /// Everything in Prometheus' text format 0.0.4, sorted by name and labels.
  std::string expose() const;

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

/// Content-Type of what `expose` returns.
inline constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace chartwright::base
