// SPDX-License-Identifier: Apache-2.0
#include "go/time_zone.h"

#include <algorithm>
#include <ctime>

#include "base/file.h"
#include "go/civil.h"

namespace chartwright::go {
namespace {

constexpr size_t kZoneFileBytesMax = size_t{1} << 20;

// Consumes the big-endian fields of a TZif file; `ok` is false after reading past its end.
class Fields {
 public:
  explicit Fields(std::string_view data) : data_(data) {}
  bool ok() const { return ok_; }
  std::string_view bytes(size_t count) {
    if (count > data_.size()) {
      ok_ = false;
      data_ = {};
      return {};
    }
    const std::string_view out = data_.substr(0, count);
    data_.remove_prefix(count);
    return out;
  }
  int64_t integer(size_t size) {
    uint64_t out = 0;
    for (char c : bytes(size)) {
      out = (out << 8U) | static_cast<unsigned char>(c);
    }
    return size == 8 ? static_cast<int64_t>(out) : static_cast<int32_t>(static_cast<uint32_t>(out));
  }
  std::string_view rest() const { return data_; }

 private:
  std::string_view data_;
  bool ok_ = true;
};

// Returns the period of the C library's zone at an instant. The library does not report how long it
// lasts, so the result covers one second.
ZonePeriod local_period(int64_t unix_seconds) {
  const time_t time = unix_seconds;
  tm parts{};
  if (localtime_r(&time, &parts) == nullptr) {
    return {"UTC", 0};
  }
  return {parts.tm_zone, parts.tm_gmtoff, unix_seconds, unix_seconds + 1};
}

// The counts of a TZif header, in the order of the file.
struct Counts {
  size_t is_utc, is_standard, leap, transitions, kinds, chars;
};

std::optional<Counts> read_counts(Fields& fields, char& version) {
  if (fields.bytes(4) != "TZif") {
    return std::nullopt;
  }
  const std::string_view head = fields.bytes(16);
  version = head.empty() ? '\0' : head[0];
  size_t counts[6];
  for (size_t& count : counts) {
    count = static_cast<size_t>(static_cast<uint32_t>(fields.integer(4)));
  }
  if (!fields.ok()) {
    return std::nullopt;
  }
  return Counts{counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]};
}

}  // namespace

std::shared_ptr<TimeZone> TimeZone::parse(std::string_view data) {
  Fields fields(data);
  char version = '\0';
  std::optional<Counts> counts = read_counts(fields, version);
  if (!counts) {
    return nullptr;
  }
  size_t time_size = 4;
  if (version >= '2') {  // Skip to the second copy, which has 64-bit times.
    fields.bytes(counts->transitions * 5 + counts->kinds * 6 + counts->chars + counts->leap * 8 +
                 counts->is_standard + counts->is_utc);
    counts = read_counts(fields, version);
    time_size = 8;
  }
  if (!counts || counts->kinds == 0) {
    return nullptr;
  }
  Fields times(fields.bytes(counts->transitions * time_size));
  const std::string_view kind_indexes = fields.bytes(counts->transitions);
  Fields kinds(fields.bytes(counts->kinds * 6));
  const std::string_view names = fields.bytes(counts->chars);
  fields.bytes(counts->leap * (time_size + 4) + counts->is_standard + counts->is_utc);
  if (!fields.ok()) {
    return nullptr;
  }
  auto zone = std::make_shared<TimeZone>();
  for (size_t i = 0; i < counts->kinds; ++i) {
    Kind kind;
    kind.offset = kinds.integer(4);
    kind.is_saving = kinds.bytes(1)[0] != 0;
    const auto at = static_cast<unsigned char>(kinds.bytes(1)[0]);
    if (at >= names.size()) {
      return nullptr;
    }
    kind.name = names.substr(at, names.substr(at).find('\0'));
    zone->kinds_.push_back(std::move(kind));
  }
  for (char index : kind_indexes) {
    const auto kind = static_cast<size_t>(static_cast<unsigned char>(index));
    if (kind >= zone->kinds_.size()) {
      return nullptr;
    }
    zone->transitions_.push_back({times.integer(time_size), kind});
  }
  if (zone->transitions_.empty()) {
    zone->transitions_.push_back({INT64_MIN, 0});
  }
  const std::string_view footer = fields.rest();
  if (footer.size() > 2 && footer.front() == '\n' && footer.back() == '\n') {
    zone->rule_ = footer.substr(1, footer.size() - 2);
  }
  return zone;
}

std::shared_ptr<TimeZone> TimeZone::read_file(const std::string& path) {
  const base::Result<std::string> data = base::read_file(path, kZoneFileBytesMax);
  return data.ok() ? parse(*data) : nullptr;
}

std::shared_ptr<TimeZone> TimeZone::find(const std::string& name) {
  for (const char* folder : {"/usr/share/zoneinfo/", "/usr/share/lib/zoneinfo/",
                             "/usr/lib/locale/TZ/", "/etc/zoneinfo/"}) {
    if (std::shared_ptr<TimeZone> zone = read_file(folder + name)) {
      zone->name_ = name;
      return zone;
    }
  }
  return nullptr;
}

TimeZone::Ptr TimeZone::utc() {
  static const Ptr zone = [] {
    auto made = std::make_shared<TimeZone>();
    made->name_ = "UTC";
    return made;
  }();
  return zone;
}

TimeZone::Ptr TimeZone::local() {
  static const Ptr zone = [] {
    tzset();
    auto made = std::make_shared<TimeZone>();
    made->name_ = "Local";
    made->is_local_ = true;
    return made;
  }();
  return zone;
}

TimeZone::Ptr TimeZone::fixed(std::string_view name, int64_t offset_seconds) {
  auto zone = std::make_shared<TimeZone>();
  zone->name_ = name;
  zone->kinds_.push_back({std::string(name), offset_seconds, false});
  zone->transitions_.push_back({INT64_MIN, 0});
  return zone;
}

TimeZone::Ptr TimeZone::load(const std::string& name) {
  if (name.empty() || name == "UTC") {
    return utc();
  }
  if (name == "Local") {
    return local();
  }
  // The name comes from a chart: it must not refer to a file outside the zoneinfo directory.
  if (name.find("..") != std::string::npos || name.find('\0') != std::string::npos ||
      name[0] == '/' || name[0] == '\\') {
    return nullptr;
  }
  return find(name);
}

// Returns the kind that applies before the first transition: a standard time.
size_t TimeZone::first_kind() const {
  const auto in_use = [this](size_t kind) {
    return std::any_of(transitions_.begin(), transitions_.end(),
                       [kind](const Transition& t) { return t.kind == kind; });
  };
  if (!in_use(0)) {
    return 0;
  }
  const size_t first = transitions_.front().kind;
  if (kinds_[first].is_saving) {
    for (size_t i = first; i-- > 0;) {
      if (!kinds_[i].is_saving) {
        return i;
      }
    }
  }
  const auto standard =
      std::find_if(kinds_.begin(), kinds_.end(), [](const Kind& kind) { return !kind.is_saving; });
  return standard == kinds_.end() ? 0 : static_cast<size_t>(standard - kinds_.begin());
}

ZonePeriod TimeZone::lookup(int64_t unix_seconds) const {
  if (is_local_) {
    return local_period(unix_seconds);
  }
  if (kinds_.empty()) {
    return {"UTC", 0};
  }
  const auto next = std::upper_bound(transitions_.begin(), transitions_.end(), unix_seconds,
                                     [](int64_t s, const Transition& t) { return s < t.when; });
  if (next == transitions_.begin()) {
    const Kind& kind = kinds_[first_kind()];
    return {kind.name, kind.offset, INT64_MIN, next->when};
  }
  const Transition& last = *(next - 1);
  if (next == transitions_.end() && !rule_.empty()) {
    if (std::optional<ZonePeriod> period = apply_posix_rule(rule_, last.when, unix_seconds)) {
      return *period;
    }
  }
  const Kind& kind = kinds_[last.kind];
  return {kind.name, kind.offset, last.when, next == transitions_.end() ? INT64_MAX : next->when};
}

// Returns candidate names and offsets: all that the zone ever had; for the process's zone, those at
// the instant and half a year before and after it.
std::vector<TimeZone::Kind> TimeZone::kinds_around(int64_t seconds) const {
  if (!is_local_) {
    return kinds_;
  }
  constexpr int64_t kHalfYear = 182 * kSecondsPerDay;
  std::vector<Kind> out;
  for (int64_t at : {seconds, seconds - kHalfYear, seconds + kHalfYear}) {
    const ZonePeriod period = local_period(at);
    out.push_back({period.name, period.offset, false});
  }
  return out;
}

std::optional<int64_t> TimeZone::offset_of(std::string_view abbreviation,
                                           int64_t local_seconds) const {
  std::optional<int64_t> any;
  for (const Kind& kind : kinds_around(local_seconds)) {
    if (kind.name != abbreviation) {
      continue;
    }
    const ZonePeriod period = lookup(local_seconds - kind.offset);
    if (period.name == kind.name) {
      return period.offset;
    }
    any = any ? any : std::optional<int64_t>(kind.offset);
  }
  return any;
}

}  // namespace chartwright::go
