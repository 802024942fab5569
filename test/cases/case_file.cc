// SPDX-License-Identifier: Apache-2.0
#include "test/cases/case_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace chartwright::cases {
namespace {

/// Sections whose text does not end in a newline.
constexpr std::array<std::string_view, 4> kUnterminated = {"json", "value", "error", "yaml-error"};

uint32_t parse_hex(std::string_view digits) {
  uint32_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) {
    throw std::runtime_error("bad hexadecimal number '" + std::string(digits) + "'");
  }
  return value;
}

void append_utf8(std::string& out, uint32_t rune) {
  auto tail = [&](unsigned shift) {
    out.push_back(static_cast<char>(0x80U | ((rune >> shift) & 0x3fU)));
  };
  if (rune < 0x80) {
    out.push_back(static_cast<char>(rune));
  } else if (rune < 0x800) {
    out.push_back(static_cast<char>(0xc0U | (rune >> 6U)));
    tail(0);
  } else if (rune < 0x10000) {
    out.push_back(static_cast<char>(0xe0U | (rune >> 12U)));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xf0U | (rune >> 18U)));
    tail(12);
    tail(6);
    tail(0);
  }
}

/// Decodes the escape whose backslash is before `pos`; leaves `pos` on its last character.
void append_escape(std::string& out, std::string_view text, size_t& pos) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
  const char name = pos < text.size() ? text[pos] : '\0';
  if (name != 'u') {
    const size_t index = kNames.find(name);
    if (index == std::string_view::npos) {
      throw std::runtime_error("bad escape in a JSON string");
    }
    out.push_back(kValues[index]);
    return;
  }
  uint32_t rune = parse_hex(text.substr(pos + 1, 4));
  pos += 4;
  if (rune >= 0xd800 && rune < 0xdc00 && text.substr(pos + 1, 2) == "\\u") {
    rune = 0x10000 + ((rune - 0xd800) << 10U) + (parse_hex(text.substr(pos + 3, 4)) - 0xdc00);
    pos += 6;
  }
  append_utf8(out, rune);
}

std::string decode_json_string(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') {
    throw std::runtime_error("a :json section is one line with one JSON string");
  }
  std::string out;
  const std::string_view body = text.substr(1, text.size() - 2);
  for (size_t pos = 0; pos < body.size(); ++pos) {
    if (body[pos] != '\\') {
      out.push_back(body[pos]);
    } else {
      append_escape(out, body, ++pos);
    }
  }
  return out;
}

std::string decode_hex(std::string_view text) {
  std::string out;
  for (size_t pos = 0; pos + 1 < text.size(); pos += 2) {
    if (text[pos] == '\n') {
      --pos;
    } else {
      out.push_back(static_cast<char>(parse_hex(text.substr(pos, 2))));
    }
  }
  return out;
}

/// Collects the lines of one file into cases. A section extends from its marker to the next one.
class Reader {
 public:
  explicit Reader(std::string path) { file_.path = std::move(path); }

  CaseFile read() {
    std::ifstream in(file_.path, std::ios::binary);
    if (!in) {
      throw std::runtime_error(file_.path + ": cannot be read");
    }
    try {
      for (std::string line; std::getline(in, line);) {
        ++line_number_;
        add_line(line);
      }
      end_section();
    } catch (const std::runtime_error& error) {
      std::ostringstream where;
      where << file_.path << ':' << line_number_ << ": " << error.what();
      throw std::runtime_error(where.str());
    }
    return std::move(file_);
  }

 private:
  void add_line(std::string_view line) {
    if (line.starts_with("===")) {
      end_section();
      file_.cases.push_back(
          {std::string(line.substr(std::min<size_t>(4, line.size()))), line_number_, {}});
    } else if (file_.cases.empty()) {
      add_head_line(line);
    } else if (line.starts_with("---")) {
      end_section();
      start_section(line.substr(3));
    } else if (!open_) {
      throw std::runtime_error("text outside of a section");
    } else {
      line.remove_prefix(line.starts_with('\\') ? 1 : 0);
      lines_ += line_count_++ > 0 ? "\n" : "";
      lines_ += line;
    }
  }

  void add_head_line(std::string_view line) {
    constexpr std::string_view kEngine = "# engine: ";
    if (line.starts_with(kEngine)) {
      file_.engine = line.substr(kEngine.size());
    } else if (!line.empty() && !line.starts_with('#')) {
      throw std::runtime_error("expected a comment or '=== title'");
    }
    constexpr std::string_view kHelm = "# helm: ";
    if (line.starts_with(kHelm)) {
      file_.helm = line.substr(kHelm.size());
    }
  }

  void start_section(std::string_view marker) {
    if (!marker.starts_with(' ')) {
      throw std::runtime_error("a section needs a name: '--- name'");
    }
    marker.remove_prefix(1);
    const size_t space = std::min(marker.find(' '), marker.size());
    const std::string_view head = marker.substr(0, space);
    const size_t colon = std::min(head.find(':'), head.size());
    section_ = {std::string(head.substr(0, colon)),
                std::string(marker.substr(std::min(space + 1, marker.size()))), ""};
    form_ = head.substr(colon);
    open_ = true;
    lines_.clear();
    line_count_ = 0;
  }

  void end_section() {
    if (!open_) {
      return;
    }
    open_ = false;
    const bool unterminated =
        std::find(kUnterminated.begin(), kUnterminated.end(), section_.name) != kUnterminated.end();
    if (form_ == ":json") {
      section_.text = decode_json_string(lines_);
    } else if (form_ == ":hex") {
      section_.text = decode_hex(lines_);
    } else if (form_ == ":chomp" || (form_.empty() && (unterminated || line_count_ == 0))) {
      section_.text = lines_;
    } else if (form_.empty()) {
      section_.text = lines_ + "\n";
    } else {
      throw std::runtime_error("unknown form '" + form_ + "', want :json, :chomp or :hex");
    }
    file_.cases.back().sections.push_back(std::move(section_));
  }

  CaseFile file_;
  int line_number_ = 0;
  bool open_ = false;
  Section section_;
  std::string form_;
  std::string lines_;
  int line_count_ = 0;
};

}  // namespace

const std::string* Case::find(std::string_view name) const {
  for (const Section& section : sections) {
    if (section.name == name) {
      return &section.text;
    }
  }
  return nullptr;
}

CaseFile read_case_file(const std::string& path) { return Reader(path).read(); }

std::vector<std::string> list_case_files(const std::string& directory) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".txt") {
      paths.push_back(entry.path().string());
    }
  }
  if (paths.empty()) {
    throw std::runtime_error(directory + ": holds no case file");
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace chartwright::cases
