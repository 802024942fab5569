// SPDX-License-Identifier: Apache-2.0
#include "base/release_memory.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace chartwright::base {
namespace {

// Relocated code differs from its file, so releasing it would lose the relocations.
bool relocates_code(const dl_phdr_info& object) {
  for (size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_DYNAMIC) {
      continue;
    }
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + segment.p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      const bool by_flag =
          entry->d_tag == DT_FLAGS && (entry->d_un.d_val & static_cast<uint64_t>(DF_TEXTREL)) != 0;
      if (entry->d_tag == DT_TEXTREL || by_flag) {
        return true;
      }
    }
  }
  return false;
}

// Releases whole pages only: a segment may share its first and last page with a writable neighbour.
void release_segment(uintptr_t begin, uintptr_t end) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = (begin + page - 1) / page * page;
  const uintptr_t last = end / page * page;
  if (first < last) {
    // If this fails, the pages stay resident, which is not an error.
    (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  }
}

int release_object(dl_phdr_info* object, size_t /*size*/, void* /*unused*/) {
  if (relocates_code(*object)) {
    return 0;
  }
  std::for_each_n(object->dlpi_phdr, object->dlpi_phnum, [object](const ElfW(Phdr) & segment) {
    if (segment.p_type == PT_LOAD && (segment.p_flags & static_cast<uint32_t>(PF_W)) == 0) {
      const uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
      release_segment(begin, begin + segment.p_filesz);
    }
  });
  return 0;
}

// Returns the lowest address of this thread's stack, or 0 if unknown.
uintptr_t end_of_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
    return 0;
  }
  void* end = nullptr;
  size_t bytes = 0;
  const bool known = pthread_attr_getstack(&attributes, &end, &bytes) == 0;
  pthread_attr_destroy(&attributes);
  return known ? reinterpret_cast<uintptr_t>(end) : 0;
}

}  // namespace

void release_unused_stack() {
  constexpr uintptr_t kKeptBytes = 256 << 10;
  thread_local const uintptr_t end = end_of_stack();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (end != 0 && here - end > kKeptBytes) {
    release_segment(end, here - kKeptBytes);
  }
}

void release_file_pages() { dl_iterate_phdr(release_object, nullptr); }

}  // namespace chartwright::base
