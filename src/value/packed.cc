// SPDX-License-Identifier: Apache-2.0
#include "value/packed.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace chartwright::value {
namespace {

/// First byte of each value.
enum class Tag : uint8_t { kNil, kFalse, kTrue, kInt, kFloat, kString, kList, kDict };

// Writes seven bits per byte, the lowest first; the high bit says that more follow.
void put_number(std::string& out, uint64_t n) {
  while (n >= 0x80U) {
    out += static_cast<char>((n & 0x7FU) | 0x80U);
    n >>= 7U;
  }
  out += static_cast<char>(n);
}

void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out += text;
}

// Keeps small negative numbers short.
uint64_t zigzag(int64_t n) {
  return (static_cast<uint64_t>(n) << 1U) ^ static_cast<uint64_t>(n >> 63);
}
int64_t unzigzag(uint64_t n) {
  return static_cast<int64_t>(n >> 1U) ^ -static_cast<int64_t>(n & 1U);
}

/// Writes a tree with its own stack: documents may nest deeper than a thread's stack allows.
class Packer {
 public:
  std::string pack(const Value& root) {
    put(root);
    while (!open_.empty()) {
      Open& top = open_.back();
      if (top.at_end()) {
        open_.pop_back();
      } else if (top.list != nullptr) {
        put(top.list->items[top.next++]);
      } else {
        const auto& [key, v] = *top.member++;
        put_text(out_, key);
        put(v);
      }
    }
    return std::string(out_);  // The copy has no spare capacity.
  }

 private:
  struct Open {
    const List* list;
    const Dict* dict;
    size_t next = 0;                   // Item of the list.
    Dict::const_iterator member = {};  // Next one of the dict.
    bool at_end() const {
      return list != nullptr ? next == list->items.size() : member == dict->end();
    }
  };

  void tag(Tag t) { out_ += static_cast<char>(t); }

  void put(const Value& v) {
    switch (v.kind()) {
      case Kind::kNil:
        return tag(Tag::kNil);
      case Kind::kBool:
        return tag(v.as_bool() ? Tag::kTrue : Tag::kFalse);
      case Kind::kInt:
        tag(Tag::kInt);
        return put_number(out_, zigzag(v.as_int()));
      case Kind::kFloat: {
        tag(Tag::kFloat);
        const auto bits = std::bit_cast<uint64_t>(v.as_float());
        out_.append(reinterpret_cast<const char*>(&bits), sizeof bits);
        return;
      }
      case Kind::kString:
        tag(Tag::kString);
        return put_text(out_, v.as_string());
      case Kind::kList:
        tag(Tag::kList);
        put_number(out_, v.as_list().items.size());
        return open_.push_back({&v.as_list(), nullptr});
      case Kind::kDict:
        tag(Tag::kDict);
        put_number(out_, v.as_dict().size());
        return open_.push_back({nullptr, &v.as_dict(), 0, v.as_dict().begin()});
      case Kind::kNoValue:
      case Kind::kBytes:
      case Kind::kNative:
        break;
    }
    CW_CHECK(false);
  }

  std::string out_;
  std::vector<Open> open_;
};

/// Reads what Packer wrote.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  Value unpack() {
    Value done;
    while (true) {
      if (!next(done)) {
        continue;  // A container was opened.
      }
      // A value is complete, and so is every container whose last member it is.
      while (true) {
        if (open_.empty()) {
          return done;
        }
        if (!open_.back().add(std::move(done))) {
          break;
        }
        done = open_.back().close();
        open_.pop_back();
      }
    }
  }

 private:
  struct Open {
    bool is_dict;
    size_t missing;
    std::vector<Value> items;
    std::vector<Dict::Entry> entries;
    std::string key;

    /// Returns true if that was the last member.
    bool add(Value v) {
      if (is_dict) {
        entries.emplace_back(std::move(key), std::move(v));
      } else {
        items.push_back(std::move(v));
      }
      return --missing == 0;
    }
    Value close() {
      return is_dict ? Value::dict(std::make_shared<Dict>(std::move(entries)))
                     : Value::list(std::move(items));
    }
  };

  // Reads a scalar or an empty container into `out`. Returns false if it opened a
  // container with members.
  bool next(Value& out) {
    if (!open_.empty() && open_.back().is_dict) {
      open_.back().key = text();
    }
    switch (static_cast<Tag>(take(1).front())) {
      case Tag::kNil:
        out = Value();
        return true;
      case Tag::kFalse:
      case Tag::kTrue:
        out = Value::boolean(taken_ == static_cast<char>(Tag::kTrue));
        return true;
      case Tag::kInt:
        out = Value::integer(unzigzag(number()));
        return true;
      case Tag::kFloat: {
        uint64_t bits = 0;
        std::memcpy(&bits, take(sizeof bits).data(), sizeof bits);
        out = Value::number(std::bit_cast<double>(bits));
        return true;
      }
      case Tag::kString:
        out = Value::string(text());
        return true;
      case Tag::kList:
        return !open(false, out);
      case Tag::kDict:
        return !open(true, out);
    }
    CW_CHECK(false);
  }

  // Returns false, and sets `out`, for an empty container.
  bool open(bool is_dict, Value& out) {
    const size_t size = number();
    if (size == 0) {
      out = is_dict ? Value::dict() : Value::list();
      return false;
    }
    Open& top = open_.emplace_back(Open{is_dict, size, {}, {}, {}});
    if (is_dict) {
      top.entries.reserve(size);
    } else {
      top.items.reserve(size);
    }
    return true;
  }

  std::string_view take(size_t n) {
    CW_CHECK(n <= rest_.size());
    const std::string_view bytes = rest_.substr(0, n);
    rest_.remove_prefix(n);
    taken_ = bytes.empty() ? '\0' : bytes.front();
    return bytes;
  }

  uint64_t number() {
    uint64_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      n |= static_cast<uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80U) {
        return n;
      }
    }
  }

  std::string_view text() { return take(number()); }

  std::string_view rest_;
  char taken_ = 0;
  std::vector<Open> open_;
};

Value unpacked(std::string_view bytes) {
  return bytes.empty() ? Value() : Unpacker(bytes).unpack();
}

}  // namespace

Packed::Packed(const Value& v) : bytes_(v.is_nil() ? std::string() : Packer().pack(v)) {}

Value Packed::unpack() const { return unpacked(bytes_); }

Value Packed::unpack_bytes(const Value& bytes) { return unpacked(bytes.as_string()); }

}  // namespace chartwright::value
