// SPDX-License-Identifier: Apache-2.0
#include "operator/render_marks.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "value/json.h"

namespace chartwright::op {
namespace {

using value::Value;

// What another process, or anybody else who can write there, may leave us to read.
constexpr size_t kFilesMax = 1000;
constexpr size_t kFileBytesMax = 4096;
constexpr std::string_view kSuffix = ".mark";

constexpr std::array<std::pair<Material, std::string_view>, 3> kMaterials = {
    {{Material::kChart, "chart"},
     {Material::kOperatorFolder, "operator folder"},
     {Material::kManifest, "manifest"}}};

std::string_view to_string(Material material) {
  return std::find_if(kMaterials.begin(), kMaterials.end(),
                      [material](const auto& known) { return known.first == material; })
      ->second;
}

// What nobody knows accuses nobody: its file has another name.
Material material_of(std::string_view text) {
  const auto* found = std::find_if(kMaterials.begin(), kMaterials.end(),
                                   [text](const auto& known) { return known.second == text; });
  return found == kMaterials.end() ? Material::kChart : found->first;
}

// Digits only, whatever the names are.
std::string file_of(const kube::ObjectRef& cr, Material material) {
  constexpr size_t kDigits = 40;
  std::string text;
  for (const std::string_view part :
       {std::string_view(cr.gvk.group), std::string_view(cr.gvk.kind), std::string_view(cr.ns),
        std::string_view(cr.name), to_string(material)}) {
    text += part;
    text += '\0';
  }
  return base::sha256_hex(text).substr(0, kDigits) + std::string(kSuffix);
}

Value text(std::string_view s) { return Value::string(s); }

}  // namespace

RenderMarks::RenderMarks(std::string folder, const base::Logger& log)
    : folder_(std::move(folder)), log_(log) {
  if (folder_.empty()) {
    return;
  }
  const std::string probe = folder_ + "/probe";
  const base::Status writable = base::write_file_atomically(probe, "");
  if (!writable.ok()) {
    log_.warn(
        "State directory cannot be used: a custom resource whose render ends the process will "
        "not be recognised",
        {{"error", writable.error().message()}, {"stateDir", folder_}});
    return;
  }
  remove("probe");
  {
    base::MutexLock lock(mutex_);
    open_ = true;
  }
  load();
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

// One that is not ours, or damaged, is taken away: it accuses nobody.
void RenderMarks::load_file(const std::string& name) {
  const auto content = base::read_file(folder_ + "/" + name, kFileBytesMax);
  const auto read = content.ok() ? value::parse_json(*content, value::Numbers::kInt64)
                                 : base::Result<Value>(content.error());
  Record record;
  if (read.ok() && read->is_dict()) {
    record.key = {
        {{std::string(read->string_at({"group"})), std::string(read->string_at({"version"})),
          std::string(read->string_at({"kind"}))},
         std::string(read->string_at({"namespace"})),
         std::string(read->string_at({"name"}))},
        std::string(read->string_at({"uid"})),
        material_of(read->string_at({"material"})),
        std::string(read->string_at({"inputs"}))};
    const Value* alone = read->find("alone");
    record.alone = alone != nullptr && alone->is_bool() && alone->as_bool();
  }
  if (name != file_of(record.key.cr, record.key.material)) {
    remove(name);
    return;
  }
  log_.warn(record.alone ? "An earlier process ended twice while it rendered this custom resource, "
                           "which is set aside"
                         : "An earlier process ended while it rendered this custom resource, which "
                           "is rendered alone the next time",
            {{"apiVersion", record.key.cr.gvk.api_version()},
             {"kind", record.key.cr.gvk.kind},
             {"namespace", record.key.cr.ns},
             {"name", record.key.cr.name}});
  base::MutexLock lock(mutex_);
  left_.insert_or_assign(name, std::move(record));
}

Verdict RenderMarks::verdict(const MarkKey& key) {
  base::MutexLock lock(mutex_);
  if (left_.empty()) {
    return Verdict::kClear;
  }
  const auto it = left_.find(file_of(key.cr, key.material));
  if (it == left_.end() || it->second.key.uid != key.uid) {
    return Verdict::kClear;
  }
  return it->second.alone && it->second.key.inputs == key.inputs ? Verdict::kGuilty
                                                                 : Verdict::kSuspect;
}

void RenderMarks::set(const MarkKey& key) {
  const Record record{key, verdict(key) != Verdict::kClear};
  const std::string name = file_of(key.cr, key.material);
  {
    base::MutexLock lock(mutex_);
    const auto known = harmless_.find(name);
    if (!open_ || (known != harmless_.end() && known->second == key.inputs)) {
      return;
    }
    in_flight_.insert_or_assign(name, record);
  }
  write(record);
  if (!is_open()) {  // Closed meanwhile.
    remove(name);
  }
}

bool RenderMarks::is_open() const {
  base::MutexLock lock(mutex_);
  return open_;
}

void RenderMarks::clear(const MarkKey& key) {
  const std::string name = file_of(key.cr, key.material);
  {
    base::MutexLock lock(mutex_);
    left_.erase(name);
    if (in_flight_.erase(name) == 0) {
      return;
    }
    harmless_.insert_or_assign(name, key.inputs);
  }
  remove(name);
}

void RenderMarks::forget(const kube::ObjectRef& cr) {
  for (const auto& [material, text_of_it] : kMaterials) {
    const std::string name = file_of(cr, material);
    bool known = false;
    {
      base::MutexLock lock(mutex_);
      harmless_.erase(name);
      known = left_.erase(name) > 0;
    }
    if (known) {
      remove(name);
    }
  }
}

std::vector<kube::ObjectRef> RenderMarks::remembered(const kube::Gvk& kind) const {
  base::MutexLock lock(mutex_);
  std::vector<kube::ObjectRef> found;
  for (const auto& [name, record] : left_) {
    if (record.key.cr.gvk == kind) {
      found.push_back(record.key.cr);
    }
  }
  return found;
}

void RenderMarks::close() {
  std::map<std::string, Record> in_flight;
  {
    base::MutexLock lock(mutex_);
    open_ = false;
    in_flight.swap(in_flight_);
  }
  for (auto& [name, record] : in_flight) {
    if (record.alone) {  // As suspect as before, and no more.
      record.alone = false;
      write(record);
    } else {
      remove(name);
    }
  }
}

void RenderMarks::write(const Record& record) {
  const MarkKey& key = record.key;
  const Value mark = Value::dict({{"group", text(key.cr.gvk.group)},
                                  {"version", text(key.cr.gvk.version)},
                                  {"kind", text(key.cr.gvk.kind)},
                                  {"namespace", text(key.cr.ns)},
                                  {"name", text(key.cr.name)},
                                  {"uid", text(key.uid)},
                                  {"material", text(to_string(key.material))},
                                  {"inputs", text(key.inputs)},
                                  {"alone", Value::boolean(record.alone)}});
  const base::Status written = base::write_file_atomically(
      folder_ + "/" + file_of(key.cr, key.material), value::to_json(mark).value_or(""));
  if (!written.ok()) {
    log_.debug("Render is not marked", {{"error", written.error().message()}});
  }
}

void RenderMarks::remove(const std::string& name) const {
  ::unlink((folder_ + "/" + name).c_str());
}

}  // namespace chartwright::op
