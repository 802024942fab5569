// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/strings.h"
#include "base/thread.h"
#include "helm/chart/go_decode.h"
#include "helm/chart/loader.h"
#include "helm/render/engine.h"
#include "helm/render/functions.h"
#include "helm/render/renderable_chart.h"
#include "helm/render/rendered_text.h"
#include "tmpl/template.h"
#include "yaml/yaml.h"

// Our side of bench/render; test/oracle/bench is Helm's and speaks the same protocol. Called as
//   bench_render CHART [VALUES]
// it reads one request per line from standard input and answers each with one line:
//   text WORK         the output of the work, in hexadecimal; both sides must agree
//   time WORK COUNT   does the work COUNT times; the CPU time of each and the wall time of all, in
//   nanoseconds
// Works: cold (render a chart from files in memory), warm (the same with a loaded chart), parse
// (all templates), encode (the values to YAML), decode (values.yaml).
namespace chartwright::helm {
namespace {

using value::Value;

constexpr size_t kValuesBytesMax = size_t{1} << 20;

int64_t cpu_ns() {
  rusage usage{};
  CW_CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
  const auto ns = [](const timeval& t) { return (t.tv_sec * 1'000'000 + t.tv_usec) * 1000; };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

/// Uses the system's random numbers, as the operator does.
class RandomHost final : public tmpl::Host {
 public:
  explicit RandomHost(const base::Clock& clock) : clock_(clock) {}
  base::WallTime now() override { return clock_.wall(); }
  base::Status random(std::span<uint8_t> out) override { return base::fill_random(out); }

 private:
  const base::Clock& clock_;
};

/// A chart and values, with everything that can be prepared before a render.
class Subject {
 public:
  static base::Result<Subject> load(const std::string& path, const std::string& values_path) {
    Subject subject;
    CW_TRY(LoadedChart loaded, load_chart(path));
    subject.files_ = std::move(loaded.all_files);
    if (!values_path.empty()) {
      CW_TRY(const std::string text, base::read_file(values_path, kValuesBytesMax));
      CW_TRY(subject.inputs_.values, decode_yaml_dict(text));
    }
    CW_TRY(subject.bundle_, RenderableChart::from_files(subject.files_));
    collect_templates(subject.bundle_->chart(), subject.templates_);
    for (const File& file : subject.files_) {
      if (file.name == "values.yaml") {
        subject.values_text_ = file.data;
      }
    }
    CW_TRY(const PreparedChart prepared, prepare(*subject.bundle_, subject.inputs_));
    subject.all_values_ = prepared.values;
    return subject;
  }

  /// Does one work once and returns its output.
  base::Result<std::string> work(std::string_view name) const {
    if (name == "cold") {
      CW_TRY(const auto bundle, RenderableChart::from_files(files_));
      return render_with(*bundle);
    }
    if (name == "warm") {
      return render_with(*bundle_);
    }
    if (name == "parse") {
      return parse();
    }
    if (name == "encode") {
      return yaml::to_yaml(all_values_);
    }
    if (name == "decode") {
      CW_TRY(const Value values, decode_yaml_dict(values_text_));
      return std::to_string(values.as_dict().size());
    }
    return base::Error(base::ErrorCode::kInvalidArgument, "there is no work " + std::string(name));
  }

 private:
  static void collect_templates(const Chart& chart, std::vector<File>& into) {
    into.insert(into.end(), chart.content->templates.begin(), chart.content->templates.end());
    for (const Chart& sub : chart.dependencies) {
      collect_templates(sub, into);
    }
  }

  base::Result<std::string> render_with(const RenderableChart& bundle) const {
    base::SystemClock clock;
    RandomHost host(clock);
    CW_TRY(const Rendered rendered, render(bundle, inputs_, {host, clock, nullptr, {}}));
    return rendered_text(manifests_text(rendered, {}), hooks_text(rendered, {}));
  }

  base::Result<std::string> parse() const {
    tmpl::Template parsed(helm_functions(default_profile()), "parse");
    for (const File& file : templates_) {
      CW_TRY_VOID(parsed.parse(file.name, file.data));
    }
    return std::to_string(templates_.size());
  }

  std::vector<File> files_;
  RenderInputs inputs_;
  std::shared_ptr<const RenderableChart> bundle_;
  std::vector<File> templates_;
  std::string values_text_;
  Value all_values_;
};

base::Result<std::string> time_work(const Subject& subject, std::string_view work, int64_t count) {
  std::vector<int64_t> taken(static_cast<size_t>(count));
  const auto started = std::chrono::steady_clock::now();
  for (int64_t& ns : taken) {
    const int64_t before = cpu_ns();
    CW_TRY_DISCARD(subject.work(work));
    ns = cpu_ns() - before;
  }
  const std::chrono::nanoseconds wall = std::chrono::steady_clock::now() - started;
  std::string line = std::to_string(wall.count());
  for (const int64_t ns : taken) {
    line += " " + std::to_string(ns);
  }
  return line;
}

base::Result<std::string> answer(const Subject& subject, const std::string& request) {
  std::istringstream words(request);
  std::string verb;
  std::string work;
  int64_t count = 0;
  words >> verb >> work >> count;
  if (verb == "text") {
    CW_TRY(const std::string text, subject.work(work));
    return base::hex_encode(text);
  }
  if (verb == "time" && count > 0) {
    return time_work(subject, work, count);
  }
  return base::Error(base::ErrorCode::kInvalidArgument, "no request: " + request);
}

/// Answers requests until the input ends.
base::Status answer_lines(const std::vector<std::string>& arguments) {
  CW_TRY(const Subject subject,
         Subject::load(arguments.at(0), arguments.size() > 1 ? arguments[1] : ""));
  for (std::string line; std::getline(std::cin, line);) {
    CW_TRY(const std::string text, answer(subject, line));
    std::cout << text << std::endl;  // Flushes: the client waits for the line.
  }
  return {};
}

}  // namespace
}  // namespace chartwright::helm

int main(int argc, char** argv) {
  using chartwright::base::Thread;
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.empty() || arguments.size() > 2) {
    std::cerr << "usage: bench_render CHART [VALUES]\n";
    return 1;
  }
  chartwright::base::Status status;
  Thread("render", chartwright::base::kRenderStackBytes, [&] {
    status = chartwright::helm::answer_lines(arguments);
  }).join();
  if (!status.ok()) {
    std::cerr << "bench_render: " << status.error().message() << "\n";
    return 1;
  }
  return 0;
}
