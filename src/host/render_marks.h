// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "base/mutex.h"
#include "kube/object.h"

namespace chartwright::host {

/// The kinds of input that are rendered.
enum class Source : uint8_t {
  kChart,
  kOperatorFolder,  ///< Status, patches, selectors.
  kManifest,        ///< A stored manifest, which is only parsed.
};

/// Identifies a render: its custom resource, source and inputs.
struct MarkKey {
  kube::ObjectRef cr;
  std::string uid;
  Source source = Source::kChart;
  std::string inputs;  ///< Digest of the inputs and of the user's requests to try again.
};

/// How a render may run, after it may have ended an earlier process.
enum class Permit : uint8_t {
  kFree,
  kAlone,    ///< It was running when a process died: no other may run beside it.
  kRefused,  ///< It was running alone, from the same inputs, when a process died.
};

/// Records on disk what is being rendered, so that a render that kills the process is recognised by
/// the next process. Each running render has a mark in a small file, which remains if the process
/// dies. If there were several, each is tried again alone, and only one that kills the process a
/// second time is refused. A render that this process has finished before, from the same inputs, is
/// not marked again.
///
/// The files are kept open and reused: there are as many as renders have ever run at once. Writing
/// and blanking a mark takes two system calls, whereas creating and deleting a file would cost a
/// tenth of a reconcile. The files contain names and digests, but nothing of a spec. If the folder
/// cannot be used, this is logged once and nothing is marked. Thread-safe, provided that no two
/// threads render the same custom resource at the same time.
class RenderMarks {
 public:
  /// Reads the marks that an earlier process left in `folder`, which must exist. With "", nothing
  /// is marked. `log` must outlive the marks.
  RenderMarks(std::string folder, const base::Logger& log);

  Permit permit(const MarkKey& key) CW_EXCLUDES(mutex_);
  /// Marks a render. Call `set` before the render, and `clear` after it, however it ended.
  void set(const MarkKey& key) CW_EXCLUDES(mutex_);
  void clear(const MarkKey& key) CW_EXCLUDES(mutex_);
  /// Removes the earlier marks of a custom resource that no longer exists.
  void forget(const kube::ObjectRef& cr) CW_EXCLUDES(mutex_);
  /// Returns the custom resources of `kind` of which an earlier process left marks.
  std::vector<kube::ObjectRef> remembered(const kube::Gvk& kind) const CW_EXCLUDES(mutex_);
  /// Stops marking, because the process was asked to end and no render is to blame when it does.
  /// Blanks the marks of running renders; those that had to run alone still have to.
  void close() CW_EXCLUDES(mutex_);

 private:
  struct Record {
    MarkKey key;
    bool alone = false;  ///< No other render ran at the same time.
  };

  /// A file of this process, and its contents.
  struct Slot {
    base::NoteFile file;
    Record record;
  };
  /// The records of earlier processes for one source of a custom resource, with their files.
  struct Left {
    Record record;
    std::vector<std::string> files;
  };

  void load() CW_EXCLUDES(mutex_);
  void load_file(const std::string& name) CW_EXCLUDES(mutex_);
  /// Returns a blank file, created if needed; if that fails, logs the error and returns nullopt.
  std::optional<base::NoteFile> free_file() CW_EXCLUDES(mutex_);
  base::Result<base::NoteFile> create_file() CW_EXCLUDES(mutex_);
  void write(base::NoteFile& file, const Record& record) const;
  void blank(Slot slot) CW_EXCLUDES(mutex_);
  void remove(const std::vector<std::string>& files) const;

  const std::string folder_;
  const base::Logger& log_;
  mutable base::Mutex mutex_;
  bool open_ CW_GUARDED_BY(mutex_) = false;
  size_t files_ CW_GUARDED_BY(mutex_) = 0;  ///< The next number for a file.
  std::vector<base::NoteFile> free_ CW_GUARDED_BY(mutex_);
  // Keyed by the digest of custom resource and source.
  std::map<std::string, Left> left_ CW_GUARDED_BY(mutex_);
  std::map<std::string, Slot> in_flight_ CW_GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::string> harmless_ CW_GUARDED_BY(mutex_);  ///< Last inputs.
};

}  // namespace chartwright::host
