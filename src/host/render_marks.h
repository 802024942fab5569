// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "base/mutex.h"
#include "kube/object.h"

namespace chartwright::host {

/// What is rendered.
enum class Material : uint8_t {
  kChart,
  kOperatorFolder,  ///< Status, patches, selectors.
  kManifest,        ///< A stored one, which is only parsed.
};

/// One render: whose, of what, and from which inputs.
struct MarkKey {
  kube::ObjectRef cr;
  std::string uid;
  Material material = Material::kChart;
  std::string inputs;  ///< Digest of them, and of the requests that another try would heed.
};

enum class Verdict : uint8_t {
  kClear,
  kSuspect,  ///< Was being rendered when a process died: to be rendered alone.
  kGuilty,   ///< Was the only one, from these very inputs: not to be rendered.
};

/// Remembers across the death of the process what it was rendering: each render in flight has a
/// small file, whose mark stays if the render ends the process. Several may be found then; each is
/// tried again alone, and only one that ends the process a second time is guilty. What this process
/// has rendered from the same inputs before is not marked again.
///
/// There are as many files as there ever were renders at once: they are kept open, and a mark is
/// written into one and blanked again, which costs two system calls where creating and deleting a
/// file would cost a tenth of a reconcile. They hold names and digests, nothing of a spec. A folder
/// that cannot be used is told once and then does without. Thread-safe, if no two threads render
/// one custom resource at a time.
class RenderMarks {
 public:
  /// Reads what an earlier process left in `folder`, which must exist; "": remembers nothing.
  /// `log` must outlive the marks.
  RenderMarks(std::string folder, const base::Logger& log);

  Verdict verdict(const MarkKey& key) CW_EXCLUDES(mutex_);
  /// Before a render, and after it, however it ended.
  void set(const MarkKey& key) CW_EXCLUDES(mutex_);
  void clear(const MarkKey& key) CW_EXCLUDES(mutex_);
  /// The custom resource is gone.
  void forget(const kube::ObjectRef& cr) CW_EXCLUDES(mutex_);
  /// The custom resources of `kind` that an earlier process left marks of.
  std::vector<kube::ObjectRef> remembered(const kube::Gvk& kind) const CW_EXCLUDES(mutex_);
  /// The process was asked to end: what ends it from now on is no render. Nothing is marked any
  /// more, and what is in flight loses its marks.
  void close() CW_EXCLUDES(mutex_);

 private:
  struct Record {
    MarkKey key;
    bool alone = false;  ///< Nothing else was rendered meanwhile.
  };

  /// A file of ours, and what it says.
  struct Slot {
    base::NoteFile file;
    Record record;
  };
  /// What earlier processes said of one material of one custom resource, and in which files.
  struct Left {
    Record record;
    std::vector<std::string> files;
  };

  void load() CW_EXCLUDES(mutex_);
  void load_file(const std::string& name) CW_EXCLUDES(mutex_);
  /// A file that says nothing yet; nullopt where none can be had, which was told.
  std::optional<base::NoteFile> free_file() CW_EXCLUDES(mutex_);
  base::Result<base::NoteFile> create_file() CW_EXCLUDES(mutex_);
  void write(base::NoteFile& file, const Record& record) const;
  void blank(Slot slot) CW_EXCLUDES(mutex_);
  void remove(const std::vector<std::string>& files) const;

  const std::string folder_;
  const base::Logger& log_;
  mutable base::Mutex mutex_;
  bool open_ CW_GUARDED_BY(mutex_) = false;
  size_t files_ CW_GUARDED_BY(mutex_) = 0;  ///< Numbers of files that were tried.
  std::vector<base::NoteFile> free_ CW_GUARDED_BY(mutex_);
  // By the digest of custom resource and material.
  std::map<std::string, Left> left_ CW_GUARDED_BY(mutex_);
  std::map<std::string, Slot> in_flight_ CW_GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::string> harmless_ CW_GUARDED_BY(mutex_);  ///< Inputs.
};

}  // namespace chartwright::host
