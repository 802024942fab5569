// SPDX-License-Identifier: Apache-2.0
#include "base/machine_memory.h"

#include <catch2/catch.hpp>
#include <string>

#include "test/base/temporary_directory.h"

namespace chartwright::base {
namespace {

/// The /proc and /sys of a made-up machine.
class Machine {
 public:
  const Machine& with(const std::string& file, const std::string& content) const {
    root_.write(file.substr(1), content);
    return *this;
  }
  size_t usable() const { return usable_memory(root_.path("")); }

 private:
  TemporaryDirectory root_;
};

constexpr size_t kMiB = size_t{1} << 20;

}  // namespace

TEST_CASE("Memory of a machine without control groups is its own") {
  const size_t physical = Machine().usable();
  CHECK(physical >= 16 * kMiB);
  CHECK(usable_memory() <= physical);
}

TEST_CASE("Memory of a container under control groups version 2") {
  CHECK(Machine()
            .with("/proc/self/cgroup", "0::/\n")
            .with("/sys/fs/cgroup/memory.max", "134217728\n")
            .usable() == 128 * kMiB);
  // The path is the host's, and only the container's own group is mounted.
  CHECK(Machine()
            .with("/proc/self/cgroup", "0::/kubepods.slice/pod1/c1\n")
            .with("/sys/fs/cgroup/memory.max", "67108864\n")
            .usable() == 64 * kMiB);
}

TEST_CASE("Memory of a group is bounded by the groups around it") {
  const Machine machine;
  machine.with("/proc/self/cgroup", "0::/a/b\n")
      .with("/sys/fs/cgroup/a/b/memory.max", "max\n")
      .with("/sys/fs/cgroup/a/memory.max", "33554432\n");
  CHECK(machine.usable() == 32 * kMiB);
  CHECK(machine.with("/sys/fs/cgroup/a/b/memory.max", "16777216\n").usable() == 16 * kMiB);
}

TEST_CASE("Memory of a container under control groups version 1") {
  const Machine machine;
  machine.with("/proc/self/cgroup", "12:cpu,cpuacct:/x\n4:memory:/docker/c1\n0::/\n")
      .with("/sys/fs/cgroup/memory/memory.limit_in_bytes", "50331648\n");
  CHECK(machine.usable() == 48 * kMiB);
  CHECK(machine.with("/sys/fs/cgroup/memory/docker/c1/memory.limit_in_bytes", "20971520\n")
            .usable() == 20 * kMiB);
}

TEST_CASE("Memory limits that cannot be read are none") {
  const size_t physical = Machine().usable();
  CHECK(Machine().with("/proc/self/cgroup", "0::/\n").usable() == physical);
  for (const char* text :
       {"max\n", "", "many", "-5", "9223372036854771712", "1e6", "99999999999999999999999"}) {
    INFO(text);
    CHECK(Machine()
              .with("/proc/self/cgroup", "0::/\n")
              .with("/sys/fs/cgroup/memory.max", text)
              .usable() == physical);
  }
  for (const char* groups : {"", "nonsense", "1:2", "::", "0::", ":::::\n\n"}) {
    INFO(groups);
    CHECK(Machine().with("/proc/self/cgroup", groups).usable() == physical);
  }
}

}  // namespace chartwright::base
