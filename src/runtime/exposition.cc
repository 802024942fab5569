// SPDX-License-Identifier: Apache-2.0
#include "runtime/exposition.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "base/clock.h"
#include "base/file.h"
#include "base/strings.h"
#include "base/unicode.h"
#include "kube/object.h"

namespace chartwright::runtime {
namespace {

constexpr size_t kProcFileBytesMax = 4096;

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

double count_open_files() {
  std::error_code error;
  double count = 0;
  // Not a range-for, which would use the increment that throws.
  for (std::filesystem::directory_iterator it("/proc/self/fd", error), end; !error && it != end;
       it.increment(error)) {
    ++count;
  }
  return count;
}

}  // namespace

std::string label(std::string_view name, std::string_view value) {
  std::string text = base::shortened(base::replace_invalid_utf8(value), kLabelBytesMax);
  text = base::replace_all(text, "\\", "\\\\");
  text = base::replace_all(text, "\"", "\\\"");
  return std::string(name) + "=\"" + base::replace_all(text, "\n", "\\n") + "\"";
}

void register_build_info(base::Metrics& metrics) {
  const base::MetricLabels labels = {{"commit", ""}, {"version", CW_VERSION}};
  metrics
      .gauge({"helm_operator_build_info", "Build information for the helm-operator binary"}, labels)
      .set(1);
  metrics.gauge({"chartwright_build_info", "Build information"}, labels).set(1);
}

ProcessMetrics::ProcessMetrics(base::Metrics& metrics, const base::Clock& clock)
    : cpu_seconds_(metrics.counter(
          {"process_cpu_seconds_total", "Total user and system CPU time spent in seconds."})),
      resident_bytes_(
          metrics.gauge({"process_resident_memory_bytes", "Resident memory size in bytes."})),
      virtual_bytes_(
          metrics.gauge({"process_virtual_memory_bytes", "Virtual memory size in bytes."})),
      open_fds_(metrics.gauge({"process_open_fds", "Number of open file descriptors."})) {
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(clock.wall().time_since_epoch()).count();
  metrics
      .gauge(
          {"process_start_time_seconds", "Start time of the process since unix epoch in seconds."})
      .set(static_cast<double>(now));
}

void ProcessMetrics::update() {
  const double seconds = processor_seconds();
  cpu_seconds_.increment(seconds - counted_seconds_);
  counted_seconds_ = seconds;
  open_fds_.set(count_open_files());
  auto statm = base::read_file("/proc/self/statm", kProcFileBytesMax);
  if (!statm.ok()) {
    return;
  }
  const auto pages = base::split(*statm, ' ');
  const auto page_bytes = static_cast<double>(sysconf(_SC_PAGESIZE));
  if (pages.size() > 1) {
    virtual_bytes_.set(static_cast<double>(base::parse_int(pages[0]).value_or(0)) * page_bytes);
    resident_bytes_.set(static_cast<double>(base::parse_int(pages[1]).value_or(0)) * page_bytes);
  }
}

std::string created_at_samples(const std::vector<Stored>& custom_resources) {
  std::string text =
      "# HELP resource_created_at_seconds Timestamp at which a resource was created\n"
      "# TYPE resource_created_at_seconds gauge\n";
  for (const Stored& stored : custom_resources) {
    const auto created = base::parse_rfc3339(stored->string_at({"metadata", "creationTimestamp"}));
    if (!created.ok()) {
      continue;
    }
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(created->time_since_epoch()).count();
    const kube::Gvk gvk = kube::gvk_of(*stored);
    text += "resource_created_at_seconds{" + label("group", gvk.group) + "," +
            label("kind", gvk.kind) + "," + label("name", kube::name_of(*stored)) + "," +
            label("namespace", kube::namespace_of(*stored)) + "," + label("version", gvk.version) +
            "} " + std::to_string(seconds) + "\n";
  }
  return text;
}

}  // namespace chartwright::runtime
