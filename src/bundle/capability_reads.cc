// SPDX-License-Identifier: Apache-2.0
#include "bundle/capability_reads.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/digest.h"

namespace chartwright::bundle {
namespace {

constexpr std::string_view kCapabilitiesName = "Capabilities";
constexpr std::string_view kApiVersionsName = "APIVersions";

/// Returns the text after each `.NAME` and `"NAME`.
std::vector<std::string_view> behind(std::string_view text, std::string_view name) {
  std::vector<std::string_view> rests;
  for (size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + name.size())) {
    const std::string_view rest = text.substr(at + name.size());
    const bool is_word = at > 0 && (text[at - 1] == '.' || text[at - 1] == '"') &&
                         (rest.empty() || !base::is_ascii_word(rest.front()));
    if (is_word) {
      rests.push_back(rest);
    }
  }
  return rests;
}

/// Returns X of `.Has "X"`; nullopt for anything else.
std::optional<std::string_view> asked_name(std::string_view rest) {
  constexpr std::string_view kHas = ".Has";
  if (!rest.starts_with(kHas)) {
    return std::nullopt;
  }
  rest.remove_prefix(kHas.size());
  const size_t begin = rest.find_first_not_of(' ');
  if (begin == 0 || begin == std::string_view::npos || rest[begin] != '"') {
    return std::nullopt;
  }
  rest.remove_prefix(begin + 1);
  const size_t end = rest.find_first_of("\"\\\n");
  return end == std::string_view::npos || rest[end] != '"' ? std::nullopt
                                                           : std::optional(rest.substr(0, end));
}

// `$all := .Capabilities` may be read in any way.
bool is_part(std::string_view rest) {
  return rest.starts_with(".KubeVersion") || rest.starts_with(".HelmVersion") ||
         rest.starts_with("." + std::string(kApiVersionsName));
}

void add_chart(const helm::Chart& chart, CapabilityReads& reads) {
  for (const auto* files : {&chart.content->templates, &chart.content->files}) {
    for (const helm::File& file : *files) {
      // Prose; it would have to be read by .Files and evaluated.
      if (files == &chart.content->templates || !file.name.ends_with(".md")) {
        reads.add(file.data);
      }
    }
  }
  reads.add(chart.content->values_text);
  for (const helm::Chart& dependency : chart.dependencies) {
    add_chart(dependency, reads);
  }
}

}  // namespace

CapabilitySet::CapabilitySet(helm::Capabilities capabilities, UnknownVersions unknown)
    : capabilities_(std::move(capabilities)), unknown_(std::move(unknown)) {
  for (const value::Value& name : capabilities_.api_versions.as_list().items) {
    names_.emplace(name.as_string());
  }
  std::string text;
  for (const std::string& name : names_) {
    text += name + '\n';
  }
  digest_ = base::sha256_hex(text);
}

Presence CapabilitySet::presence(std::string_view name) const {
  if (names_.contains(name)) {
    return Served{};
  }
  auto version = unknown_.find(name);
  if (version == unknown_.end()) {  // "group/version/Kind"
    version = unknown_.find(name.substr(0, std::min(name.size(), name.rfind('/'))));
  }
  return version == unknown_.end() ? Presence(Absent{}) : Unknown{version->first, version->second};
}

// Why a version is not known is for people: it may change while nothing else does.
bool CapabilitySet::operator==(const CapabilitySet& other) const {
  const bool same_unknown = std::ranges::equal(unknown_, other.unknown_,
                                               [](const auto& a_version, const auto& b_version) {
                                                 return a_version.first == b_version.first;
                                               });
  const helm::KubeVersion& a = capabilities_.kube_version;
  const helm::KubeVersion& b = other.capabilities_.kube_version;
  return same_unknown && digest_ == other.digest_ && a.version == b.version && a.major == b.major &&
         a.minor == b.minor && a.normalized == b.normalized;
}

void CapabilityReads::add(std::string_view text) {
  for (const std::string_view rest : behind(text, kApiVersionsName)) {
    const auto name = asked_name(rest);
    if (name) {
      asked_.emplace(*name);
    } else {
      whole_ = true;
    }
  }
  const auto parents = behind(text, kCapabilitiesName);
  whole_ = whole_ || !std::all_of(parents.begin(), parents.end(), is_part);
}

std::string CapabilityReads::digest(const CapabilitySet& set) const {
  if (whole_) {
    return set.digest();
  }
  std::string text;
  for (const std::string& name : asked_) {
    const bool is_served = std::holds_alternative<Served>(set.presence(name));
    text += name + (is_served ? " is served\n" : " is not\n");
  }
  return text;
}

std::optional<Unknown> CapabilityReads::unknown(const CapabilitySet& set) const {
  if (whole_ && !set.unknown().empty()) {
    const auto& [version, why] = *set.unknown().begin();
    return Unknown{version, why};
  }
  for (const std::string& name : asked_) {
    const Presence presence = set.presence(name);
    if (const auto* unknown = std::get_if<Unknown>(&presence)) {
      return *unknown;
    }
  }
  return std::nullopt;
}

CapabilityReads capability_reads(const helm::RenderableChart& chart) {
  CapabilityReads reads;
  add_chart(chart.chart(), reads);
  for (const auto& [name, text] : chart.operator_files()) {
    reads.add(text);
  }
  return reads;
}

}  // namespace chartwright::bundle
