// SPDX-License-Identifier: Apache-2.0
#include "base/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/strings.h"

// Defined by jemalloc, if it is linked.
extern "C" int mallctl(const char* name, void* old_value, size_t* old_size, void* new_value,
                       size_t new_size) __attribute__((weak));

namespace chartwright::base {
namespace {

constexpr size_t kFileBytesMax = size_t{64} << 10;
constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

/// Where one version of control groups keeps its limits.
struct Version {
  std::string mount;        ///< Below the root.
  std::string_view limit;   ///< The file with a group's limit.
  std::string_view marker;  ///< The controller in a line of /proc/self/cgroup.
};

size_t read_limit(const std::string& path) {
  const auto text = read_file(path, kFileBytesMax);
  if (!text.ok()) {
    return kNoLimit;
  }
  // "max" means no limit, as does the largest number of pages that fits an address.
  const auto bytes = parse_int(trim(*text));
  return bytes && *bytes >= 0 ? static_cast<size_t>(*bytes) : kNoLimit;
}

/// Returns the limit of a group, which the groups that contain it bound as well. In a container,
/// its own group is mounted as the root.
size_t limit_of(const std::string& root, const Version& version, std::string group) {
  size_t limit = kNoLimit;
  while (true) {
    limit = std::min(limit,
                     read_limit(root + version.mount + group + "/" + std::string(version.limit)));
    const size_t slash = group.rfind('/');
    if (group.empty() || slash == std::string::npos) {
      return limit;
    }
    group.erase(slash);
  }
}

/// Returns the group in a line "hierarchy:controllers:/group" if the line is for that version.
std::optional<std::string> group_of(std::string_view line, const Version& version) {
  const size_t first = line.find(':');
  const size_t second = line.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) {
    return std::nullopt;
  }
  const std::vector<std::string_view> controllers =
      split(line.substr(first + 1, second - first - 1), ',');
  if (std::find(controllers.begin(), controllers.end(), version.marker) == controllers.end()) {
    return std::nullopt;
  }
  const std::string_view group = line.substr(second + 1);
  return group == "/" ? std::string() : std::string(group);
}

size_t physical_memory() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  const int64_t page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? static_cast<size_t>(pages) * static_cast<size_t>(page_bytes)
                                     : kNoLimit;
}

}  // namespace

size_t usable_memory(const std::string& root) {
  size_t usable = physical_memory();
  const auto groups = read_file(root + "/proc/self/cgroup", kFileBytesMax);
  if (!groups.ok()) {
    return usable;
  }
  for (const Version& version :
       {Version{"/sys/fs/cgroup", "memory.max", ""},
        Version{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory"}}) {
    for (const std::string_view line : split(*groups, '\n')) {
      if (const auto group = group_of(line, version)) {
        usable = std::min(usable, limit_of(root, version, *group));
      }
    }
  }
  return usable;
}

std::optional<size_t> allocated_memory() {
  if (mallctl == nullptr) {
    return std::nullopt;
  }
  uint64_t epoch = 1;  // Any value makes jemalloc sum up its statistics.
  size_t bytes = 0;
  size_t size = sizeof(bytes);
  const bool known =
      mallctl("epoch", nullptr, nullptr, static_cast<void*>(&epoch), sizeof(epoch)) == 0 &&
      mallctl("stats.allocated", static_cast<void*>(&bytes), &size, nullptr, 0) == 0;
  return known ? std::optional(bytes) : std::nullopt;
}

}  // namespace chartwright::base
