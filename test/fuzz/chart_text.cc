// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/chart_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <numeric>

#include "base/check.h"
#include "record/gzip.h"

namespace chartwright::fuzz {
namespace {

constexpr std::string_view kMark = "=== ";
constexpr std::string_view kInnerArchive = ".tgz/";
constexpr size_t kBlockBytes = 512;

bool is_input(std::string_view name) {
  return std::find(std::begin(kInputs), std::end(kInputs), name) != std::end(kInputs);
}

std::string octal(size_t number) {
  std::array<char, 12> text{};
  (void)std::snprintf(text.data(), text.size(), "%011zo", number);
  return text.data();
}

// Returns a regular file in the format of POSIX.1-1988. Truncates a name that is too long.
std::string tar_entry(std::string_view name, std::string_view data) {
  std::string header(kBlockBytes, '\0');
  const auto put = [&header](size_t offset, std::string_view field) {
    std::copy(field.begin(), field.end(), header.begin() + static_cast<std::ptrdiff_t>(offset));
  };
  put(0, name.substr(0, 99));
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, octal(data.size()));
  put(136, octal(0));
  put(148, "        ");
  put(156, "0");
  put(257, std::string_view("ustar\0"
                            "00",
                            8));
  const size_t sum =
      std::accumulate(header.begin(), header.end(), size_t{0},
                      [](size_t so_far, char c) { return so_far + static_cast<unsigned char>(c); });
  put(148, octal(sum).substr(5) + std::string("\0 ", 2));
  const size_t padding = (kBlockBytes - data.size() % kBlockBytes) % kBlockBytes;
  return header.append(data).append(padding, '\0');
}

std::string archive_of(const std::vector<Section>& files) {
  std::string tar;
  for (const Section& file : files) {
    tar += tar_entry("chart/" + file.name, file.text);
  }
  return CW_MUST(record::gzip(tar.append(2 * kBlockBytes, '\0')));
}

}  // namespace

std::vector<Section> sections_of(std::string_view text) {
  std::vector<Section> sections;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (line.starts_with(kMark)) {
      const std::string_view name = line.substr(kMark.size());
      sections.push_back({std::string(name.substr(0, name.find('\n'))), ""});
    } else if (!sections.empty()) {
      sections.back().text += line;
    }
  }
  return sections;
}

std::string text_of(const std::vector<Section>& sections) {
  std::string text;
  for (const Section& one : sections) {
    text += std::string(kMark) + one.name + "\n" + one.text;
    if (!text.ends_with('\n')) {
      text += '\n';
    }
  }
  return text;
}

std::string_view section(const std::vector<Section>& sections, std::string_view name) {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [name](const Section& one) { return one.name == name; });
  return found == sections.end() ? std::string_view() : std::string_view(found->text);
}

std::string pack_chart(const std::vector<Section>& sections) {
  std::vector<Section> files;
  std::map<std::string, std::vector<Section>> archives;
  for (const Section& one : sections) {
    if (const size_t at = one.name.find(kInnerArchive); at != std::string::npos) {
      const size_t inside = at + kInnerArchive.size();
      archives[one.name.substr(0, inside - 1)].push_back({one.name.substr(inside), one.text});
    } else if (!is_input(one.name)) {
      files.push_back(one);
    }
  }
  for (const auto& [path, members] : archives) {
    files.push_back({path, archive_of(members)});
  }
  return archive_of(files);
}

}  // namespace chartwright::fuzz
