// SPDX-License-Identifier: Apache-2.0
#include "host/render_marks.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "value/json.h"

namespace chartwright::host {
namespace {

using value::Value;

// Limits on what is read from the folder, which other processes can write to.
constexpr size_t kFilesMax = 1000;
constexpr size_t kFileBytesMax = 4096;
constexpr std::string_view kSuffix = ".mark";

constexpr std::array<std::pair<Source, std::string_view>, 3> kSources = {
    {{Source::kChart, "chart"},
     {Source::kOperatorFolder, "operator folder"},
     {Source::kManifest, "manifest"}}};

std::string_view to_string(Source source) {
  return std::find_if(kSources.begin(), kSources.end(),
                      [source](const auto& known) { return known.first == source; })
      ->second;
}

std::optional<Source> source_named(std::string_view text) {
  const auto* found = std::find_if(kSources.begin(), kSources.end(),
                                   [text](const auto& known) { return known.second == text; });
  return found == kSources.end() ? std::nullopt : std::optional(found->first);
}

std::string id_of(const kube::ObjectRef& cr, Source source) {
  std::string text;
  for (const std::string_view part :
       {std::string_view(cr.gvk.group), std::string_view(cr.gvk.kind), std::string_view(cr.ns),
        std::string_view(cr.name), to_string(source)}) {
    text += part;
    text += '\0';
  }
  return base::sha256_hex(text);
}

Value text(std::string_view s) { return Value::string(s); }

}  // namespace

RenderMarks::RenderMarks(std::string folder, const base::Logger& log)
    : folder_(std::move(folder)), log_(log) {
  if (folder_.empty()) {
    return;
  }
  load();
  auto file = create_file();
  if (!file.ok()) {
    log_.warn(
        "State directory cannot be used: a custom resource whose render ends the process will "
        "not be recognised",
        {{"error", file.error().message()}, {"stateDir", folder_}});
    return;
  }
  base::MutexLock lock(mutex_);
  free_.push_back(std::move(file).value());
  open_ = true;
}

void RenderMarks::load() {
  std::error_code error;
  size_t files = 0;
  for (std::filesystem::directory_iterator it(folder_, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.ends_with(kSuffix)) {
      continue;
    }
    if (++files > kFilesMax) {
      log_.warn("Too many marks of renders: the rest is not read", {{"stateDir", folder_}});
      return;
    }
    load_file(name);
  }
}

// Deletes a file that is blank, damaged or not ours: it accuses no render.
void RenderMarks::load_file(const std::string& name) {
  const auto content = base::read_file(folder_ + "/" + name, kFileBytesMax);
  // An empty text is not JSON.
  const std::string line = content.ok() ? content->substr(0, content->find('\n')) : "";
  const auto read = value::parse_json(line, value::Numbers::kInt64);
  const std::optional<Source> source =
      read.ok() ? source_named(read->string_at({"source"})) : std::nullopt;
  if (!source) {
    remove({name});
    return;
  }
  const Record record{
      {{{std::string(read->string_at({"group"})), std::string(read->string_at({"version"})),
         std::string(read->string_at({"kind"}))},
        std::string(read->string_at({"namespace"})),
        std::string(read->string_at({"name"}))},
       std::string(read->string_at({"uid"})),
       *source,
       std::string(read->string_at({"inputs"}))},
      read->bool_at({"alone"})};
  log_.warn(record.alone ? "An earlier process ended twice while it rendered this custom resource, "
                           "which is set aside"
                         : "An earlier process ended while it rendered this custom resource, which "
                           "is rendered alone the next time",
            {{"apiVersion", record.key.cr.gvk.api_version()},
             {"kind", record.key.cr.gvk.kind},
             {"namespace", record.key.cr.ns},
             {"name", record.key.cr.name}});
  base::MutexLock lock(mutex_);
  Left& left = left_[id_of(record.key.cr, record.key.source)];
  if (left.files.empty() || record.alone) {
    left.record = record;
  }
  left.files.push_back(name);
}

Permit RenderMarks::permit(const MarkKey& key) {
  base::MutexLock lock(mutex_);
  if (left_.empty()) {
    return Permit::kFree;
  }
  const auto it = left_.find(id_of(key.cr, key.source));
  if (it == left_.end() || it->second.record.key.uid != key.uid) {
    return Permit::kFree;
  }
  const Record& left = it->second.record;
  return left.alone && left.key.inputs == key.inputs ? Permit::kRefused : Permit::kAlone;
}

void RenderMarks::set(const MarkKey& key) {
  const std::string id = id_of(key.cr, key.source);
  {
    base::MutexLock lock(mutex_);
    const auto known = harmless_.find(id);
    if (!open_ || (known != harmless_.end() && known->second == key.inputs)) {
      return;
    }
  }
  std::optional<base::NoteFile> file = free_file();
  if (!file) {
    return;
  }
  Slot slot{std::move(*file), {key, permit(key) != Permit::kFree}};
  write(slot.file, slot.record);
  std::vector<std::string> replaced;
  std::optional<Slot> late;
  {
    base::MutexLock lock(mutex_);
    if (!open_) {
      late = std::move(slot);
    } else {
      in_flight_.insert_or_assign(id, std::move(slot));
      if (const auto left = left_.find(id); left != left_.end()) {
        replaced.swap(left->second.files);
      }
    }
  }
  if (late) {  // close() was called meanwhile.
    blank(*std::move(late));
  }
  remove(replaced);
}

std::optional<base::NoteFile> RenderMarks::free_file() {
  {
    base::MutexLock lock(mutex_);
    if (!free_.empty()) {
      base::NoteFile file = std::move(free_.back());
      free_.pop_back();
      return file;
    }
  }
  auto file = create_file();
  if (!file.ok()) {
    log_.debug("Render is not marked", {{"error", file.error().message()}});
    return std::nullopt;
  }
  return std::move(file).value();
}

// Skips the names of files that an earlier process left.
base::Result<base::NoteFile> RenderMarks::create_file() {
  while (true) {
    size_t number = 0;
    {
      base::MutexLock lock(mutex_);
      number = files_++;
    }
    auto file =
        base::NoteFile::create(folder_ + "/" + std::to_string(number) + std::string(kSuffix));
    if (file.ok() || file.error().code() != base::ErrorCode::kAlreadyExists ||
        number > 2 * kFilesMax) {
      return file;
    }
  }
}

void RenderMarks::clear(const MarkKey& key) {
  const std::string id = id_of(key.cr, key.source);
  std::map<std::string, Slot>::node_type done;
  std::map<std::string, Left>::node_type left;
  {
    base::MutexLock lock(mutex_);
    left = left_.extract(id);
    done = in_flight_.extract(id);
    if (!done.empty()) {
      harmless_.insert_or_assign(id, key.inputs);
    }
  }
  if (!done.empty()) {
    blank(std::move(done.mapped()));
  }
  if (!left.empty()) {
    remove(left.mapped().files);
  }
}

void RenderMarks::forget(const kube::ObjectRef& cr) {
  for (const auto& [source, text_of_it] : kSources) {
    const std::string id = id_of(cr, source);
    std::map<std::string, Left>::node_type left;
    {
      base::MutexLock lock(mutex_);
      harmless_.erase(id);
      left = left_.extract(id);
    }
    if (!left.empty()) {
      remove(left.mapped().files);
    }
  }
}

std::vector<kube::ObjectRef> RenderMarks::remembered(const kube::Gvk& kind) const {
  base::MutexLock lock(mutex_);
  std::vector<kube::ObjectRef> found;
  for (const auto& [id, left] : left_) {
    if (left.record.key.cr.gvk == kind) {
      found.push_back(left.record.key.cr);
    }
  }
  return found;
}

void RenderMarks::close() {
  std::map<std::string, Slot> in_flight;
  {
    base::MutexLock lock(mutex_);
    open_ = false;
    in_flight.swap(in_flight_);
  }
  for (auto& [id, slot] : in_flight) {
    if (slot.record.alone) {  // It still has to run alone, but is not refused.
      slot.record.alone = false;
      write(slot.file, slot.record);
    } else {
      blank(std::move(slot));
    }
  }
}

void RenderMarks::write(base::NoteFile& file, const Record& record) const {
  const MarkKey& key = record.key;
  const Value mark = Value::dict({{"group", text(key.cr.gvk.group)},
                                  {"version", text(key.cr.gvk.version)},
                                  {"kind", text(key.cr.gvk.kind)},
                                  {"namespace", text(key.cr.ns)},
                                  {"name", text(key.cr.name)},
                                  {"uid", text(key.uid)},
                                  {"source", text(to_string(key.source))},
                                  {"inputs", text(key.inputs)},
                                  {"alone", Value::boolean(record.alone)}});
  const base::Status written = file.write(value::to_json(mark).value_or(""));
  if (!written.ok()) {
    log_.debug("Render is not marked", {{"error", written.error().message()}});
  }
}

void RenderMarks::blank(Slot slot) {
  if (!slot.file.write("").ok()) {
    return;  // The old mark remains, so the file is not reused.
  }
  base::MutexLock lock(mutex_);
  free_.push_back(std::move(slot.file));
}

void RenderMarks::remove(const std::vector<std::string>& files) const {
  for (const std::string& name : files) {
    ::unlink((folder_ + "/" + name).c_str());
  }
}

}  // namespace chartwright::host
