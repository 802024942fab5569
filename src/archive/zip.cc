// SPDX-License-Identifier: Apache-2.0
#include "archive/zip.h"

#include <archive.h>
#include <archive_entry.h>

#include <chrono>
#include <cstdint>
#include <memory>

namespace chartwright::archive {
namespace {

constexpr int kPermissions = 0600;

struct FreeWriter {
  void operator()(::archive* a) const { archive_write_free(a); }
};
struct FreeEntry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

base::Error refused(::archive* a) {
  const char* why = archive_error_string(a);
  return {base::ErrorCode::kInternal,
          std::string("make a zip: ") + (why != nullptr ? why : "out of memory")};
}

la_ssize_t append(::archive* /*a*/, void* out, const void* bytes, size_t size) {
  static_cast<std::string*>(out)->append(static_cast<const char*>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

base::Status add_file(::archive* a, const Files::value_type& file, int64_t seconds) {
  const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
  archive_entry_set_pathname(entry.get(), file.first.c_str());
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), kPermissions);
  archive_entry_set_mtime(entry.get(), seconds, 0);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.second.size()));
  if (archive_write_header(a, entry.get()) != ARCHIVE_OK) {
    return refused(a);
  }
  const auto size = static_cast<la_ssize_t>(file.second.size());
  if (archive_write_data(a, file.second.data(), file.second.size()) != size) {
    return refused(a);
  }
  return {};
}

}  // namespace

base::Result<std::string> zip_of(const Files& files, base::WallTime time) {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  std::string out;
  const std::unique_ptr<::archive, FreeWriter> a(archive_write_new());
  archive_write_set_format_zip(a.get());
  archive_write_set_bytes_in_last_block(a.get(), 1);  // Without bytes that fill a block.
  if (archive_write_open(a.get(), &out, nullptr, append, nullptr) != ARCHIVE_OK) {
    return refused(a.get());
  }
  for (const auto& file : files) {
    CW_TRY_VOID(add_file(a.get(), file, seconds));
  }
  if (archive_write_close(a.get()) != ARCHIVE_OK) {
    return refused(a.get());
  }
  return out;
}

}  // namespace chartwright::archive
