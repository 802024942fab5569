// SPDX-License-Identifier: Apache-2.0
#include "base/metrics.h"

#include <catch2/catch.hpp>

#include "base/thread.h"

namespace chartwright::base {
namespace {

TEST_CASE("Metrics are exposed as Prometheus text, sorted") {
  Metrics metrics;
  metrics.gauge({"workqueue_depth", "Keys waiting."}, {{"name", "b"}}).set(2);
  metrics.gauge({"workqueue_depth", "Keys waiting."}, {{"name", "a"}}).add(1.5);
  metrics.counter({"reconcile_total", "Reconciles."}, {{"result", "error"}});
  metrics.counter({"reconcile_total", "Reconciles."}, {{"result", "success"}}).increment();
  CHECK(metrics.expose() ==
        "# HELP reconcile_total Reconciles.\n"
        "# TYPE reconcile_total counter\n"
        "reconcile_total{result=\"error\"} 0\n"
        "reconcile_total{result=\"success\"} 1\n"
        "# HELP workqueue_depth Keys waiting.\n"
        "# TYPE workqueue_depth gauge\n"
        "workqueue_depth{name=\"a\"} 1.5\n"
        "workqueue_depth{name=\"b\"} 2\n");
}

TEST_CASE("A histogram counts observations by upper bound") {
  Metrics metrics;
  Histogram& seconds = metrics.histogram({"wait_seconds", "Waiting."}, {0.1, 1});
  seconds.observe(0.05);
  seconds.observe(0.1);
  seconds.observe(5);
  CHECK(metrics.expose() ==
        "# HELP wait_seconds Waiting.\n"
        "# TYPE wait_seconds histogram\n"
        "wait_seconds_count 3\n"
        "wait_seconds_sum 5.15\n"
        "wait_seconds_bucket{le=\"0.1\"} 2\n"
        "wait_seconds_bucket{le=\"1\"} 2\n"
        "wait_seconds_bucket{le=\"+Inf\"} 3\n");
}

TEST_CASE("The same name and labels are the same series, in whatever order") {
  Metrics metrics;
  Counter& one = metrics.counter({"c_total", "C."}, {{"a", "1"}, {"b", "2"}});
  Counter& two = metrics.counter({"c_total", "C."}, {{"b", "2"}, {"a", "1"}});
  CHECK(&one == &two);
}

TEST_CASE("Label values are escaped") {
  Metrics metrics;
  metrics.counter({"c_total", "C."}, {{"a", "x\"\\\ny"}}).increment(2);
  CHECK(metrics.expose().find("c_total{a=\"x\\\"\\\\\\ny\"} 2\n") != std::string::npos);
}

TEST_CASE("Threads may count and read at once") {
  Metrics metrics;
  {
    std::vector<Thread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back("counter", kDefaultStackBytes, [&metrics] {
        for (int i = 0; i < 100; ++i) {
          metrics.counter({"c_total", "C."}).increment();
          static_cast<void>(metrics.expose());  // Catch2 checks only on the main thread.
        }
      });
    }
  }
  CHECK(metrics.expose().find("c_total 400\n") != std::string::npos);
}

}  // namespace
}  // namespace chartwright::base
