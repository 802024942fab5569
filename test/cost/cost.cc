// SPDX-License-Identifier: Apache-2.0
//
// Calls every template function and method with each argument as large as requested, and every
// parser of external input, each in a child process of its own, and compares the cost of the call
// with what it was charged:
//   cost [--table] [--only FUNCTION] BYTES ...
// CPU time is compared with the time of one look at each charged byte, measured in the same run;
// memory with the limit of the render. Prints the calls that exceed the bounds; with --table also
// the highest costs, as listed in costs.md. Exits with 1 if a call exceeds the bounds.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory_limit.h"
#include "base/strings.h"
#include "base/thread.h"
#include "helm/render/functions.h"
#include "test/cost/parsers.h"
#include "test/cost/rows.h"
#include "tmpl/template.h"

namespace chartwright::cost {
namespace {

using value::Value;

// A charged byte may take this many times as long as one look at a byte, ...
constexpr double kTimesLookedAtMax = 250;
// ... and each call may take this much more time.
constexpr double kCallMs = 20;
// Memory limit of a render here, besides a copy of its arguments.
constexpr size_t kMemoryBytes = size_t{64} << 20;
// Allowance for resident memory outside the render: tables built on first use, free pages.
constexpr double kMemoryFactor = 1.3;
constexpr size_t kMemorySlack = size_t{16} << 20;
constexpr unsigned kSecondsMax = 120;
// Parsing one byte is charged as this many, as in templates.
constexpr double kParseWork = 16;

class NoHost final : public tmpl::Host {
 public:
  base::WallTime now() override { return {}; }
  base::Status random(std::span<uint8_t> bytes) override {
    std::fill(bytes.begin(), bytes.end(), ++byte_);
    return {};
  }

 private:
  uint8_t byte_ = 0;
};

/// The cost of a call.
struct Cost {
  double cpu_ms = 0;
  double charged_bytes = 0;
  double held_max = 0;  ///< Peak of resident bytes during the call, minus those before it.
  double limit = 0;     ///< Of memory, in bytes.
  int signal = 0;       ///< The signal that ended the child, or 0; -1 if it ended without a report.
  std::array<char, 120> outcome = {};

  void tell(const base::Status& status) {
    const std::string text = status.ok() ? "ok" : status.error().message();
    const size_t from = text.size() > 100 ? text.size() - 100 : 0;
    std::snprintf(outcome.data(), outcome.size(), "%s", text.substr(from).c_str());
  }
};

double resident_max() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) * 1024;
}

void call(const Row& row, size_t bytes, Cost& cost) {
  const base::SystemClock clock;
  Value data = Value::dict();
  for (size_t i = 0; i < row.small.size(); ++i) {
    data.mutable_dict().set("a" + std::to_string(i),
                            i == row.argument ? row.shape.make(bytes) : row.small[i]);
  }
  tmpl::Template templates(all_functions(), "cost");
  const base::Status parsed = templates.parse("cost", row.text);
  base::BudgetLimits limits;
  limits.memory_bytes_max = kMemoryBytes;
  cost.limit = static_cast<double>(limits.memory_bytes_max);
  const double before = resident_max();
  base::Status status;
  {
    base::Budget budget(limits, clock);
    tmpl::WrittenDicts written;
    helm::funcs::Caches caches;
    helm::RenderState state(caches);
    NoHost host;
    std::string out;
    const base::Duration started = clock.thread_cpu();
    status = parsed.ok()
                 ? templates.execute("cost", data,
                                     {tmpl::MissingKey::kZero, budget, written, host, &state}, out)
                 : parsed;
    cost.cpu_ms = std::chrono::duration<double, std::milli>(clock.thread_cpu() - started).count();
    cost.charged_bytes = static_cast<double>(budget.work_charged());
  }
  cost.held_max = resident_max() - before;
  cost.tell(status);
}

void parse(const Parser& parser, size_t bytes, Cost& cost) {
  const base::SystemClock clock;
  const std::string text = parser.make(bytes);
  cost.limit = static_cast<double>(kMemoryBytes);
  cost.charged_bytes = kParseWork * static_cast<double>(text.size());
  const double before = resident_max();
  const base::Duration started = clock.thread_cpu();
  const base::Status status =
      base::within_memory(kMemoryBytes, [&]() -> base::Status { return parser.parse(text); });
  cost.cpu_ms = std::chrono::duration<double, std::milli>(clock.thread_cpu() - started).count();
  cost.held_max = resident_max() - before;
  cost.tell(status);
}

/// A call to measure, with an input or an argument of variable size.
struct Case {
  std::string name;
  std::string shape;
  std::function<void(size_t bytes, Cost&)> run;
};

std::vector<Case> all_cases(const std::vector<Row>& rows) {
  std::vector<Case> cases;
  for (const Row& row : rows) {
    cases.push_back({row.function, "." + std::to_string(row.argument) + " " + row.shape.name,
                     [&row](size_t bytes, Cost& cost) { call(row, bytes, cost); }});
  }
  for (const Parser& parser : all_parsers()) {
    cases.push_back({"parser of " + parser.name, parser.shape,
                     [parser](size_t bytes, Cost& cost) { parse(parser, bytes, cost); }});
  }
  return cases;
}

Cost measure(const Case& tried, size_t bytes) {
  int ends[2];
  Cost cost;
  if (pipe(ends) != 0) {
    return cost;
  }
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsMax);
    base::Thread("render", base::kRenderStackBytes, [&] { tried.run(bytes, cost); }).join();
    const bool told = write(ends[1], &cost, sizeof(cost)) == sizeof(cost);
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  const bool told = read(ends[0], &cost, sizeof(cost)) == sizeof(cost);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    cost.signal = WTERMSIG(status);
  } else {
    cost.signal = told ? 0 : -1;
  }
  return cost;
}

/// Returns the nanoseconds that one look at a byte takes in this build on this machine.
double look_ns() {
  const base::SystemClock clock;
  const std::string text(size_t{16} << 20, 'x');
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    const base::Duration started = clock.thread_cpu();
    size_t found = 0;
    for (const char c : text) {
      found += c == 'y' ? 1U : 0U;
    }
    const base::Duration took = clock.thread_cpu() - started;
    best = std::min(best, std::chrono::duration<double, std::nano>(took).count() /
                              static_cast<double>(text.size() - found));
  }
  return std::max(best, 0.2);
}

struct Options {
  std::vector<size_t> sizes;
  std::string only;
  bool table = false;
};

/// The costliest call of each function, for the table.
struct Worst {
  std::string what;
  double times = 0;
  double memory = 0;
};

class Law {
 public:
  explicit Law(const Options& options) : options_(options), look_ns_(look_ns()) {}

  int run() {
    const std::vector<Row> rows = all_rows();
    for (const std::string& missing : without_rows(rows)) {
      std::printf("%s: no row: add its arguments to test/cost/rows.cc\n", missing.c_str());
      ++broken_;
    }
    size_t calls = 0;
    for (const Case& tried : all_cases(rows)) {
      if (options_.only.empty() || options_.only == tried.name) {
        for (const size_t bytes : options_.sizes) {
          hold(tried, bytes, measure(tried, bytes));
          ++calls;
        }
      }
    }
    if (options_.table) {
      print_table();
    }
    std::printf(
        "%zu calls of %zu functions and parsers, %.2f ns a byte looked at: %zu break the law\n",
        calls, worst_.size(), look_ns_, broken_);
    return broken_ == 0 && calls > 0 ? 0 : 1;
  }

 private:
  void hold(const Case& tried, size_t bytes, const Cost& cost) {
    const double beyond_ms = std::max(0.0, cost.cpu_ms - kCallMs);
    const double times = beyond_ms * 1e6 / look_ns_ / std::max(1.0, cost.charged_bytes);
    const double memory_max = cost.limit * kMemoryFactor + static_cast<double>(kMemorySlack);
    const bool breaks = cost.signal != 0 || times > kTimesLookedAtMax || cost.held_max > memory_max;
    Worst& worst = worst_[tried.name];
    if (times >= worst.times) {
      worst.times = times;
      worst.what = tried.shape;
    }
    worst.memory = std::max(worst.memory, cost.held_max);
    if (breaks || !options_.only.empty()) {
      std::printf(
          "%s %s of %zu bytes: %.1f ms CPU, %.0f bytes charged (x %.0f), "
          "%.1f MiB%s: %s\n",
          tried.name.c_str(), tried.shape.c_str(), bytes, cost.cpu_ms, cost.charged_bytes, times,
          cost.held_max / (1 << 20),
          cost.signal != 0 ? (" signal " + std::to_string(cost.signal)).c_str() : "",
          cost.outcome.data());
      std::fflush(stdout);
    }
    broken_ += breaks ? 1 : 0;
  }

  void print_table() const {
    std::printf(
        "| function | argument | multiple of reading each charged byte once | MiB |\n"
        "|---|---|---|---|\n");
    for (const auto& [name, worst] : worst_) {
      std::printf("| `%s` | %s | %.1f | %.0f |\n", name.c_str(), worst.what.c_str(), worst.times,
                  worst.memory / (1 << 20));
    }
  }

  const Options& options_;
  const double look_ns_;
  std::map<std::string, Worst> worst_;
  size_t broken_ = 0;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--table") {
      options.table = true;
    } else if (argument == "--only" && i + 1 < argc) {
      options.only = argv[++i];
    } else if (const auto bytes = base::parse_int(argument); bytes && *bytes > 0) {
      options.sizes.push_back(static_cast<size_t>(*bytes));
    } else {
      std::fprintf(stderr, "usage: cost [--table] [--only FUNCTION] BYTES ...\n");
      std::exit(2);
    }
  }
  return options;
}

}  // namespace
}  // namespace chartwright::cost

int main(int argc, char** argv) {
  const auto options = chartwright::cost::parse(argc, argv);
  return chartwright::cost::Law(options).run();
}
