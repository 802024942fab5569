// SPDX-License-Identifier: Apache-2.0
#include "archive/tar_reader.h"

#include <archive.h>
#include <archive_entry.h>

#include <utility>

namespace chartwright::archive {
namespace {

struct FreeReader {
  void operator()(::archive* a) const { archive_read_free(a); }
};

base::Error broken(::archive* a) {
  const char* why = archive_error_string(a);
  return {base::ErrorCode::kInvalidArgument, why != nullptr ? why : "unexpected EOF"};
}

}  // namespace

struct TarReader::Handle {
  std::unique_ptr<::archive, FreeReader> archive;
};

TarReader::TarReader(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
TarReader::TarReader(TarReader&&) noexcept = default;
TarReader& TarReader::operator=(TarReader&&) noexcept = default;
TarReader::~TarReader() = default;

base::Result<TarReader> TarReader::open(std::string_view gzipped) {
  auto handle = std::make_unique<Handle>();
  handle->archive.reset(archive_read_new());
  ::archive* a = handle->archive.get();
  archive_read_support_filter_gzip(a);
  archive_read_support_format_tar(a);
  archive_read_support_format_empty(a);
  if (archive_read_open_memory(a, gzipped.data(), gzipped.size()) != ARCHIVE_OK) {
    return broken(a);
  }
  return TarReader(std::move(handle));
}

base::Result<std::optional<Entry>> TarReader::next() {
  ::archive* a = handle_->archive.get();
  archive_entry* entry = nullptr;
  const int status = archive_read_next_header(a, &entry);
  if (status == ARCHIVE_EOF) {
    return std::optional<Entry>();
  }
  if (status < ARCHIVE_WARN) {
    return broken(a);
  }
  const char* name = archive_entry_pathname(entry);
  return std::optional(Entry{name != nullptr ? name : "", archive_entry_filetype(entry) == AE_IFDIR,
                             static_cast<uint64_t>(archive_entry_size(entry))});
}

base::Result<std::string> TarReader::read(size_t size) {
  ::archive* a = handle_->archive.get();
  std::string data(size, '\0');
  size_t read = 0;
  while (read < size) {
    const la_ssize_t got = archive_read_data(a, data.data() + read, size - read);
    if (got < 0) {
      return broken(a);
    }
    if (got == 0) {
      break;
    }
    read += static_cast<size_t>(got);
  }
  data.resize(read);
  return data;
}

}  // namespace chartwright::archive
