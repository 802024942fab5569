// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <system_error>

#include "base/ascii.h"

namespace chartwright::base {
namespace {

ErrorCode code_for(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::kNotFound;
    case EEXIST:
      return ErrorCode::kAlreadyExists;
    case EACCES:
    case EPERM:
      return ErrorCode::kForbidden;
    case EINVAL:
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
      return ErrorCode::kInvalidArgument;
    default:
      return ErrorCode::kInternal;
  }
}

// Formats an error like Go's os.PathError, in lower case: "open P: no such file or directory".
Error path_error(std::string_view operation, const std::string& path, int error_number) {
  std::string reason = std::generic_category().message(error_number);
  if (reason.size() > 1 && is_ascii_lower(reason[1])) {
    reason[0] = to_ascii_lower(reason[0]);
  }
  return Error(code_for(error_number), std::string(operation) + " " + path + ": " + reason);
}

Error too_large(const std::string& path, size_t max_bytes) {
  return Error(ErrorCode::kBudget, "read " + path + ": larger than the limit of " +
                                       std::to_string(max_bytes) + " bytes");
}

/// Writes all of `text` to a file that is new.
Status write_new_file(const std::string& path, std::string_view text, mode_t mode) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file.is_open()) {
    return path_error("open", path, errno);
  }
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      return path_error("write", path, errno);
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

/// Gives a file another name, and takes that from another file only with Overwrite::kYes.
Status rename_file(const std::string& from, const std::string& to, Overwrite overwrite) {
  const unsigned int flags = overwrite == Overwrite::kNo ? RENAME_NOREPLACE : 0U;
  int result = ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags);
  if (result != 0 && errno == EINVAL && flags != 0) {
    // Some file systems, such as NFS, cannot do both in one step.
    struct stat present {};
    if (::lstat(to.c_str(), &present) == 0) {
      return path_error("rename", to, EEXIST);
    }
    result = ::rename(from.c_str(), to.c_str());
  }
  if (result != 0) {
    return path_error("rename", to, errno);
  }
  return {};
}

}  // namespace

Result<std::string> read_file(const std::string& path, size_t max_bytes) {
  if (path.find('\0') != std::string::npos) {
    return path_error("open", path.substr(0, path.find('\0')), EINVAL);
  }
  // Non-blocking, so that a FIFO without a writer cannot block a thread forever.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) {
    return path_error("open", path, errno);
  }
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) {
    return path_error("stat", path, errno);
  }
  if (S_ISDIR(info.st_mode)) {
    return path_error("read", path, EISDIR);
  }
  if (info.st_size > 0 && static_cast<uint64_t>(info.st_size) > max_bytes) {
    return too_large(path, max_bytes);
  }
  // The size is only a hint: files under /proc report 0, and a file may grow while it is read.
  std::string out;
  std::string chunk(info.st_size > 0 ? static_cast<size_t>(info.st_size) + 1 : 4096, '\0');
  while (true) {
    const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return path_error("read", path, errno);
    }
    if (got == 0) {
      return out;
    }
    if (static_cast<size_t>(got) > max_bytes - out.size()) {
      return too_large(path, max_bytes);
    }
    out.append(chunk, 0, static_cast<size_t>(got));
  }
}

Status replace_file(const std::string& path, std::string_view text) {
  constexpr mode_t kPermissions = 0777;
  const std::string partial = path + ".partial";
  ::unlink(partial.c_str());  // Left by a process that was killed.
  struct stat present {};
  const bool exists = ::lstat(path.c_str(), &present) == 0 && S_ISREG(present.st_mode);
  Status status = write_new_file(partial, text, 0666);
  if (status.ok() && exists && ::chmod(partial.c_str(), present.st_mode & kPermissions) != 0) {
    status = path_error("chmod", partial, errno);
  }
  if (status.ok() && ::rename(partial.c_str(), path.c_str()) != 0) {
    status = path_error("rename", path, errno);
  }
  if (!status.ok()) {
    ::unlink(partial.c_str());
  }
  return status;
}

Status write_private_file(const std::string& path, std::string_view text, Overwrite overwrite) {
  const std::string partial = path + ".partial";
  ::unlink(partial.c_str());  // Left by a process that was killed.
  Status status = write_new_file(partial, text, 0600);
  if (status.ok()) {
    status = rename_file(partial, path, overwrite);
  }
  if (!status.ok()) {
    ::unlink(partial.c_str());
  }
  return status;
}

Result<NoteFile> NoteFile::create(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.is_open()) {
    return path_error("open", path, errno);
  }
  return NoteFile(std::move(file));
}

Status NoteFile::write(std::string_view line) {
  std::string text(line);
  text += '\n';
  // A write to a regular file is short only if the disk is full.
  const ssize_t written = ::pwrite(file_.get(), text.data(), text.size(), 0);
  if (written < 0 || static_cast<size_t>(written) < text.size()) {
    return Error(ErrorCode::kInternal,
                 "write: " + std::generic_category().message(written < 0 ? errno : ENOSPC));
  }
  return {};
}

}  // namespace chartwright::base
