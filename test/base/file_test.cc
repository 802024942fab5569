// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "test/base/temporary_directory.h"

namespace chartwright::base {
namespace {

TEST_CASE("A file is read whole, whatever its bytes") {
  const TemporaryDirectory dir;
  std::string content(10'000, '\0');
  content[5] = '\xff';
  CHECK(CW_MUST(read_file(dir.write("a", content), 10'000)) == content);
  CHECK(CW_MUST(read_file(dir.write("empty", ""), 0)).empty());
}

TEST_CASE("A file whose size is not known beforehand is read whole") {
  CHECK(CW_MUST(read_file("/proc/self/status", 1 << 20)).find("Name:") == 0);
}

TEST_CASE("A file past the limit is refused") {
  const TemporaryDirectory dir;
  const Result<std::string> read = read_file(dir.write("big", "12345"), 4);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().code() == ErrorCode::kBudget);
  CHECK(read.error().message() == "read " + dir.path("big") + ": larger than the limit of 4 bytes");
  CHECK(read_file("/proc/self/status", 4).error().code() == ErrorCode::kBudget);
}

TEST_CASE("A file that cannot be read is named with the reason") {
  const TemporaryDirectory dir;
  const Error missing = read_file(dir.path("none"), 1).error();
  CHECK(missing.code() == ErrorCode::kNotFound);
  CHECK(missing.message() == "open " + dir.path("none") + ": no such file or directory");
  const Error inside_file = read_file(dir.write("f", "") + "/x", 1).error();
  CHECK(inside_file.code() == ErrorCode::kNotFound);
  CHECK(inside_file.message() == "open " + dir.path("f/x") + ": not a directory");
  const Error directory = read_file(dir.path(""), 1).error();
  CHECK(directory.code() == ErrorCode::kInvalidArgument);
  CHECK(directory.message() == "read " + dir.path("") + ": is a directory");
  const Error with_nul = read_file(dir.path(std::string("a\0b", 3)), 1).error();
  CHECK(with_nul.code() == ErrorCode::kInvalidArgument);
}

TEST_CASE("A private file is for the current user alone, and replaces another one if asked") {
  const TemporaryDirectory dir;
  const std::string path = dir.path("f");
  REQUIRE(write_private_file(path, "new", Overwrite::kNo).ok());
  const auto permissions = [&path] {
    struct stat info {};
    REQUIRE(::stat(path.c_str(), &info) == 0);
    return info.st_mode & 0777;
  };
  CHECK(permissions() == 0600);
  const Error taken = write_private_file(path, "newer", Overwrite::kNo).error();
  CHECK(taken.code() == ErrorCode::kAlreadyExists);
  CHECK(taken.message() == "rename " + path + ": file exists");
  CHECK(CW_MUST(read_file(path, 10)) == "new");
  CHECK_FALSE(std::filesystem::exists(path + ".partial"));
  REQUIRE(::chmod(path.c_str(), 0644) == 0);
  REQUIRE(write_private_file(path, "newer", Overwrite::kYes).ok());
  CHECK(permissions() == 0600);
  CHECK(CW_MUST(read_file(path, 10)) == "newer");
  std::filesystem::create_symlink("nowhere", dir.path("link"));
  CHECK(write_private_file(dir.path("link"), "x", Overwrite::kNo).error().code() ==
        ErrorCode::kAlreadyExists);
  CHECK(write_private_file(dir.path("none/f"), "x", Overwrite::kNo).error().code() ==
        ErrorCode::kNotFound);
}

TEST_CASE("A file is replaced as a whole") {
  const TemporaryDirectory dir;
  const std::string path = dir.path("f");
  REQUIRE(replace_file(path, "new").ok());
  CHECK(CW_MUST(read_file(path, 10)) == "new");
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  dir.write("f.partial", "left by a process that was killed");
  REQUIRE(replace_file(path, "").ok());
  CHECK(CW_MUST(read_file(path, 10)).empty());
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0640);
  CHECK_FALSE(std::filesystem::exists(dir.path("f.partial")));
}

TEST_CASE("A link in place of a file is replaced, and what it points to stays") {
  const TemporaryDirectory dir;
  const std::string other = dir.write("other", "old");
  std::filesystem::create_symlink(other, dir.path("link"));
  REQUIRE(replace_file(dir.path("link"), "new").ok());
  CHECK(CW_MUST(read_file(other, 10)) == "old");
  CHECK_FALSE(std::filesystem::is_symlink(dir.path("link")));
}

TEST_CASE("A file that cannot be replaced is named, and nothing is left beside it") {
  const TemporaryDirectory dir;
  CHECK(replace_file(dir.path("none/f"), "x").error().code() == ErrorCode::kNotFound);
  std::filesystem::create_directory(dir.path("folder"));
  const Error error = replace_file(dir.path("folder"), "x").error();
  CHECK(error.code() == ErrorCode::kInvalidArgument);
  CHECK(error.message() == "rename " + dir.path("folder") + ": is a directory");
  CHECK_FALSE(std::filesystem::exists(dir.path("folder.partial")));
}

TEST_CASE("A file without permission is forbidden") {
  if (::geteuid() == 0) {
    SUCCEED("root reads everything");
    return;
  }
  const TemporaryDirectory dir;
  const std::string path = dir.write("secret", "x");
  REQUIRE(::chmod(path.c_str(), 0) == 0);
  CHECK(read_file(path, 1).error().code() == ErrorCode::kForbidden);
}

TEST_CASE("A FIFO that nobody writes to does not block") {
  const TemporaryDirectory dir;
  REQUIRE(::mkfifo(dir.path("fifo").c_str(), 0600) == 0);
  CHECK(CW_MUST(read_file(dir.path("fifo"), 10)).empty());
}

TEST_CASE("A note is the line written last, for this user alone") {
  const TemporaryDirectory dir;
  const std::string path = dir.path("a");
  NoteFile note = CW_MUST(NoteFile::create(path));
  CHECK(CW_MUST(read_file(path, 10)).empty());
  REQUIRE(note.write("old, longer").ok());
  REQUIRE(note.write("new").ok());
  CHECK(CW_MUST(read_file(path, 20)) == "new\n longer\n");
  NoteFile moved = std::move(note);
  REQUIRE(moved.write("").ok());
  CHECK(CW_MUST(read_file(path, 20)) == "\new\n longer\n");
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777U) == 0600U);
}

TEST_CASE("A note takes no other file's place") {
  const TemporaryDirectory dir;
  CHECK(NoteFile::create(dir.write("a", "mine")).error().code() == ErrorCode::kAlreadyExists);
  CHECK(CW_MUST(read_file(dir.path("a"), 10)) == "mine");
  CHECK(NoteFile::create(dir.path("none/a")).error().code() == ErrorCode::kNotFound);
}

}  // namespace
}  // namespace chartwright::base
