// SPDX-License-Identifier: Apache-2.0
#include "archive/tar_reader.h"

#include <archive.h>
#include <archive_entry.h>

#include <catch2/catch.hpp>

namespace chartwright::archive {
namespace {

/// Packs a folder, and a file with this text in it.
std::string packed(const std::string& text) {
  std::string out(size_t{1} << 16, '\0');
  size_t used = 0;
  ::archive* a = archive_write_new();
  archive_write_add_filter_gzip(a);
  archive_write_set_format_ustar(a);
  REQUIRE(archive_write_open_memory(a, out.data(), out.size(), &used) == ARCHIVE_OK);
  archive_entry* entry = archive_entry_new();
  archive_entry_set_pathname(entry, "one/");
  archive_entry_set_filetype(entry, AE_IFDIR);
  archive_entry_set_perm(entry, 0755);
  REQUIRE(archive_write_header(a, entry) == ARCHIVE_OK);
  archive_entry_clear(entry);
  archive_entry_set_pathname(entry, "../one");
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_perm(entry, 0644);
  archive_entry_set_size(entry, static_cast<la_int64_t>(text.size()));
  REQUIRE(archive_write_header(a, entry) == ARCHIVE_OK);
  archive_write_data(a, text.data(), text.size());
  archive_entry_free(entry);
  archive_write_close(a);
  archive_write_free(a);
  out.resize(used);
  return out;
}

TEST_CASE("Entries come one by one, with their names as they are") {
  const std::string gzipped = packed("text");
  TarReader reader = CW_MUST(TarReader::open(gzipped));
  const auto folder = CW_MUST(reader.next());
  REQUIRE(folder);
  CHECK(folder->is_folder);
  const auto file = CW_MUST(reader.next());
  REQUIRE(file);
  CHECK(file->name == "../one");
  CHECK_FALSE(file->is_folder);
  CHECK(file->size == 4);
  CHECK(CW_MUST(reader.read(100)) == "text");
  CHECK_FALSE(CW_MUST(reader.next()));
}

TEST_CASE("No more is read than is asked for") {
  const std::string gzipped = packed("a longer text");
  TarReader reader = CW_MUST(TarReader::open(gzipped));
  REQUIRE(CW_MUST(reader.next()));
  REQUIRE(CW_MUST(reader.next()));
  CHECK(CW_MUST(reader.read(8)) == "a longer");
}

/// Returns the error with which an archive is opened, or its first entry is reached.
base::ErrorCode first_fault(std::string_view gzipped) {
  auto reader = TarReader::open(gzipped);
  return reader.ok() ? reader->next().error().code() : reader.error().code();
}

TEST_CASE("A broken archive is an error, and an empty one has no entry") {
  const std::string gzipped = packed(std::string(10'000, 'x'));
  CHECK(first_fault(std::string_view(gzipped).substr(0, 40)) == base::ErrorCode::kInvalidArgument);
  CHECK(first_fault("no archive") == base::ErrorCode::kInvalidArgument);
  TarReader empty = CW_MUST(TarReader::open(""));
  CHECK_FALSE(CW_MUST(empty.next()));
}

}  // namespace
}  // namespace chartwright::archive
