// SPDX-License-Identifier: Apache-2.0
#include "yaml/go_syntax.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "go/quote.h"
#include "yaml/float_text.h"
#include "yaml/scalar_value.h"

namespace chartwright::yaml {
namespace {

constexpr size_t kMaxSyntaxBytes = size_t{16} << 10;

std::string hex_literal(uint64_t value) {
  std::array<char, 24> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "0x%llx", static_cast<unsigned long long>(value));
  return buffer.data();
}

// A key, in the order in which fmt prints the keys of a map[interface {}]interface {}: by type (in
// the order that Go's linker happens to give the types), then by value.
struct Key {
  Scalar scalar;
  std::string_view text;

  int rank() const {
    switch (scalar.type) {
      case Type::kNull:
        return 0;
      case Type::kTimestamp:
      case Type::kString:
        return 1;
      case Type::kInt:
        return 2;
      case Type::kUint:
        return 3;
      case Type::kFloat:
        return 4;
      case Type::kBool:
        break;
    }
    return 5;
  }

  bool operator<(const Key& other) const {
    if (rank() != other.rank()) {
      return rank() < other.rank();
    }
    switch (scalar.type) {
      case Type::kInt:
        return scalar.integer < other.scalar.integer;
      case Type::kUint:
        return scalar.unsigned_integer < other.scalar.unsigned_integer;
      case Type::kFloat:
        return scalar.number < other.scalar.number;
      case Type::kBool:
        return !scalar.boolean && other.scalar.boolean;
      case Type::kNull:
        return false;
      case Type::kTimestamp:
      case Type::kString:
        break;
    }
    return text < other.text;
  }
};

class Printer {
 public:
  explicit Printer(const Document& document) : document_(document) {}

  void print(NodeId id) {
    const Node& at = document_.target(id);
    if (out_.size() > kMaxSyntaxBytes) {
      return;
    }
    switch (at.kind) {
      case NodeKind::kSequence:
        print_sequence(at);
        break;
      case NodeKind::kMapping:
        print_mapping(at);
        break;
      case NodeKind::kAlias:
      case NodeKind::kScalar:
        print_scalar(key_of(at));
        break;
    }
  }

  std::string take() {
    if (out_.size() > kMaxSyntaxBytes) {
      out_.resize(kMaxSyntaxBytes);
      out_ += "...";
    }
    return std::move(out_);
  }

 private:
  using Entries = std::vector<std::pair<Key, NodeId>>;

  static Key key_of(const Node& at) {
    return {type_yaml_scalar(at.written()).value_or(Scalar{}), at.text};
  }

  void print_sequence(const Node& at) {
    out_ += "[]interface {}{";
    const auto items = document_.children_of(at);
    for (size_t i = 0; i < items.size() && out_.size() <= kMaxSyntaxBytes; ++i) {
      out_ += i > 0 ? ", " : "";
      print(items[i]);
    }
    out_ += '}';
  }

  void print_mapping(const Node& at) {
    Entries entries;
    collect(at, entries, 0);
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    out_ += "map[interface {}]interface {}{";
    for (size_t i = 0; i < entries.size() && out_.size() <= kMaxSyntaxBytes; ++i) {
      if (i + 1 < entries.size() && !(entries[i].first < entries[i + 1].first)) {
        continue;  // Of equal keys the last one wins.
      }
      print_scalar(entries[i].first);
      out_ += ':';
      print(entries[i].second);
      out_ += i + 1 < entries.size() ? ", " : "";
    }
    out_ += '}';
  }

  // Collects the entries of a mapping, including merged ones, in the order in which they are set.
  void collect(const Node& at, Entries& entries, int depth) const {
    constexpr int kMaxMerges = 100;
    if (depth > kMaxMerges) {
      return;
    }
    const auto members = document_.children_of(at);
    for (size_t i = 0; i + 1 < members.size() && entries.size() < kMaxSyntaxBytes; i += 2) {
      const Node& key = document_.target(members[i]);
      const Node& value = document_.target(members[i + 1]);
      if (key.text != "<<" || !key.implicit) {
        entries.emplace_back(key_of(key), members[i + 1]);
      } else if (value.kind == NodeKind::kMapping) {
        collect(value, entries, depth + 1);
      } else {
        const auto sources = document_.children_of(value);
        for (size_t k = sources.size(); k > 0; --k) {
          collect(document_.target(sources[k - 1]), entries, depth + 1);
        }
      }
    }
  }

  void print_scalar(const Key& key) {
    switch (key.scalar.type) {
      case Type::kNull:
        out_ += "interface {}(nil)";
        break;
      case Type::kBool:
        out_ += key.scalar.boolean ? "true" : "false";
        break;
      case Type::kInt:
        out_ += std::to_string(key.scalar.integer);
        break;
      case Type::kUint:
        out_ += hex_literal(key.scalar.unsigned_integer);
        break;
      case Type::kFloat:
        out_ += format_float_g(key.scalar.number);
        break;
      case Type::kTimestamp:
      case Type::kString:
        out_ += go::quote(key.text);
        break;
    }
  }

  const Document& document_;
  std::string out_;
};

}  // namespace

std::string yaml_go_syntax(const Document& document, NodeId node) {
  Printer printer(document);
  printer.print(node);
  return printer.take();
}

}  // namespace chartwright::yaml
