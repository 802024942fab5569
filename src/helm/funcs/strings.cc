// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "base/unicode.h"
#include "go/format.h"
#include "go/quote.h"
#include "helm/funcs/families.h"
#include "helm/funcs/go_value.h"

// Source: Masterminds/sprig v3.3.0 strings.go and the functions of Go's strings package that
// functions.go refers to. Positions and lengths are in bytes if they are in Go.
namespace chartwright::helm::funcs {
namespace {

using base::decode_rune;

std::string map_runes(std::string_view s, char32_t (*mapping)(char32_t)) {
  std::string out;
  out.reserve(s.size());
  while (!s.empty()) {
    const base::DecodedRune next = decode_rune(s);
    base::append_rune(out, mapping(next.rune));
    s.remove_prefix(next.size);
  }
  return out;
}

std::string upper(std::string_view s) { return map_runes(s, base::to_upper); }
std::string lower(std::string_view s) { return map_runes(s, base::to_lower); }

// In ASCII, every character except letters, digits and '_' separates words; beyond ASCII, only
// spaces do.
bool separates_words(char32_t r) {
  if (r <= 0x7F) {
    return !base::is_letter(r) && !base::is_digit(r) && r != '_';
  }
  return !base::is_letter(r) && !base::is_digit(r) && base::is_space(r);
}

std::string title(std::string_view s) {
  std::string out;
  out.reserve(s.size());
  char32_t previous = ' ';
  while (!s.empty()) {
    const base::DecodedRune next = decode_rune(s);
    base::append_rune(out, separates_words(previous) ? base::to_title(next.rune) : next.rune);
    previous = next.rune;
    s.remove_prefix(next.size);
  }
  return out;
}

std::string_view trim_start_if(std::string_view s, auto&& matches) {
  while (!s.empty()) {
    const base::DecodedRune next = decode_rune(s);
    if (!matches(next.rune)) {
      break;
    }
    s.remove_prefix(next.size);
  }
  return s;
}

std::string_view trim_end_if(std::string_view s, auto&& matches) {
  while (!s.empty()) {
    const base::DecodedRune last = base::decode_last_rune(s);
    if (!matches(last.rune)) {
      break;
    }
    s.remove_suffix(last.size);
  }
  return s;
}

std::vector<char32_t> sorted_runes(std::string_view s) {
  std::vector<char32_t> runes;
  while (!s.empty()) {
    const base::DecodedRune next = decode_rune(s);
    runes.push_back(next.rune);
    s.remove_prefix(next.size);
  }
  std::sort(runes.begin(), runes.end());
  return runes;
}

Result<std::string_view> trim_all(CallContext& ctx, std::string_view cutset, std::string_view s) {
  CW_TRY_VOID(ctx.budget.charge_alloc(cutset.size() * sizeof(char32_t)));
  const std::vector<char32_t> runes = sorted_runes(cutset);
  const auto in_cutset = [&runes](char32_t r) {
    return std::binary_search(runes.begin(), runes.end(), r);
  };
  return trim_end_if(trim_start_if(s, in_cutset), in_cutset);
}

std::string_view trim_suffix(std::string_view suffix, std::string_view s) {
  return s.ends_with(suffix) ? s.substr(0, s.size() - suffix.size()) : s;
}

std::string_view trim_prefix(std::string_view prefix, std::string_view s) {
  return s.starts_with(prefix) ? s.substr(prefix.size()) : s;
}

bool contains(std::string_view part, std::string_view s) {
  return find_part(s, part) != std::string_view::npos;
}
bool has_prefix(std::string_view prefix, std::string_view s) { return s.starts_with(prefix); }
bool has_suffix(std::string_view suffix, std::string_view s) { return s.ends_with(suffix); }

Result<std::string> repeat(CallContext& ctx, int64_t count, std::string_view s) {
  if (count < 0) {
    return failure("strings: negative Repeat count");
  }
  size_t bytes = 0;
  if (__builtin_mul_overflow(s.size(), static_cast<size_t>(count), &bytes) ||
      bytes > static_cast<size_t>(INT64_MAX)) {
    return failure("strings: Repeat output length overflow");
  }
  CW_TRY_VOID(ctx.budget.charge_alloc(bytes));
  std::string out;
  out.reserve(bytes);
  while (out.size() < bytes) {
    out += s;
  }
  return out;
}

size_t count_of(std::string_view s, std::string_view part) {
  size_t count = 0;
  for (size_t at = find_part(s, part); at != std::string_view::npos;
       at = find_part(s, part, at + part.size())) {
    ++count;
  }
  return count;
}

std::string replace_parts(std::string_view s, std::string_view from, std::string_view to) {
  std::string out;
  size_t copied = 0;
  for (size_t at = find_part(s, from); at != std::string_view::npos;
       at = find_part(s, from, copied)) {
    out += s.substr(copied, at - copied);
    out += to;
    copied = at + from.size();
  }
  out += s.substr(copied);
  return out;
}

// An empty `from` matches before every code point and at the end, as in Go.
std::string interleave(std::string_view with, std::string_view s) {
  std::string out(with);
  while (!s.empty()) {
    const size_t size = decode_rune(s).size;
    out += s.substr(0, size);
    out += with;
    s.remove_prefix(size);
  }
  return out;
}

Result<std::string> replace(CallContext& ctx, std::string_view from, std::string_view to,
                            std::string_view s) {
  const size_t count = from.empty() ? base::rune_count(s) + 1 : count_of(s, from);
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, to.size(), &bytes)) {
    bytes = SIZE_MAX;
  }
  CW_TRY_VOID(ctx.budget.charge_alloc(s.size()));
  CW_TRY_VOID(ctx.budget.charge_alloc(bytes));
  return from.empty() ? interleave(to, s) : replace_parts(s, from, to);
}

Result<std::string> indent(CallContext& ctx, int64_t spaces, std::string_view s) {
  if (spaces < 0) {
    return failure("strings: negative Repeat count");
  }
  const size_t lines = 1 + static_cast<size_t>(std::count(s.begin(), s.end(), '\n'));
  size_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<size_t>(spaces), lines, &bytes) ||
      __builtin_add_overflow(bytes, s.size(), &bytes)) {
    bytes = SIZE_MAX;
  }
  CW_TRY_VOID(ctx.budget.charge_alloc(bytes));
  const std::string pad(static_cast<size_t>(spaces), ' ');
  std::string out;
  out.reserve(bytes + 1);  // One more for the newline that nindent prepends.
  out += pad;
  for (size_t end = s.find('\n'); end != std::string_view::npos; end = s.find('\n')) {
    out += s.substr(0, end + 1);
    out += pad;
    s.remove_prefix(end + 1);
  }
  out += s;
  return out;
}

Result<std::string> nindent(CallContext& ctx, int64_t spaces, std::string_view s) {
  CW_TRY(std::string out, indent(ctx, spaces, s));
  out.insert(out.begin(), '\n');
  return out;
}

std::string_view truncated(int64_t count, std::string_view s) {
  const auto size = static_cast<int64_t>(s.size());
  if (count < 0 && size + count > 0) {
    return s.substr(static_cast<size_t>(size + count));
  }
  return count >= 0 && size > count ? s.substr(0, static_cast<size_t>(count)) : s;
}

base::Error out_of_range(const std::string& bounds) {
  return failure("runtime error: slice bounds out of range " + bounds);
}

// Returns s[low:high]. Error: the message of Go's panic.
Result<std::string_view> slice_text(std::string_view s, int64_t low, int64_t high) {
  const auto size = static_cast<int64_t>(s.size());
  if (high < 0) {
    return out_of_range("[:" + std::to_string(high) + "]");
  }
  if (high > size) {
    return out_of_range("[:" + std::to_string(high) + "] with length " + std::to_string(size));
  }
  if (low > high) {
    return out_of_range("[" + std::to_string(low) + ":" + std::to_string(high) + "]");
  }
  return s.substr(static_cast<size_t>(low), static_cast<size_t>(high - low));
}

Result<std::string_view> substr(int64_t start, int64_t end, std::string_view s) {
  const auto size = static_cast<int64_t>(s.size());
  if (start < 0) {
    return slice_text(s, 0, end);
  }
  return slice_text(s, start, end < 0 || end > size ? size : end);
}

using TextOf = Result<std::string> (*)(CallContext&, const Value&);

// Joins the strings of all values that are not nil with spaces.
Result<std::string> join_texts(CallContext& ctx, Args values, TextOf text_of) {
  std::string out;
  bool first = true;
  for (const Value& v : values) {
    if (v.is_nothing()) {
      continue;
    }
    CW_TRY(const std::string text, text_of(ctx, v));
    out += first ? "" : " ";
    out += text;
    first = false;
  }
  return out;
}

Result<std::string> formatted(CallContext& ctx, const Value& v) {
  return go::format_value_within(ctx.budget, v);
}

Result<std::string> quoted(CallContext& ctx, const Value& v) {
  if (v.is_string()) {
    CW_TRY_VOID(ctx.budget.charge_alloc(v.as_string().size()));
    return go::quote(v.as_string());
  }
  CW_TRY(const std::string text, to_text(ctx, v));
  return go::quote(text);
}

Result<std::string> single_quoted(CallContext& ctx, const Value& v) {
  CW_TRY(const std::string text, formatted(ctx, v));
  return "'" + text + "'";
}

Result<std::string> quote(CallContext& ctx, AnyRest values) {
  return join_texts(ctx, values.values(), quoted);
}

Result<std::string> squote(CallContext& ctx, AnyRest values) {
  return join_texts(ctx, values.values(), single_quoted);
}

Result<std::string> cat(CallContext& ctx, AnyRest values) {
  return join_texts(ctx, values.values(), formatted);
}

// Converts any value to a []string: a slice element by element without nils, any other value to a
// single string.
Result<std::vector<std::string>> texts_of(CallContext& ctx, const Value& v) {
  if (v.is_nothing()) {
    return std::vector<std::string>();
  }
  std::vector<std::string> texts;
  if (kind_name(v) != "slice") {
    CW_TRY(texts.emplace_back(), to_text(ctx, v));
    return texts;
  }
  CW_TRY(const Slice slice, Slice::of(v, ""));
  CW_TRY_VOID(charge_items(ctx, slice.items().size()));
  for (const Value& item : slice.items()) {
    if (!item.is_nothing()) {
      CW_TRY(texts.emplace_back(), to_text(ctx, item));
    }
  }
  return texts;
}

Result<Value> to_strings(CallContext& ctx, const Value& v) {
  CW_TRY(std::vector<std::string> texts, texts_of(ctx, v));
  return string_list(std::move(texts));
}

Result<std::string> join(CallContext& ctx, std::string_view separator, const Value& v) {
  CW_TRY(const std::vector<std::string> texts, texts_of(ctx, v));
  CW_TRY_VOID(ctx.budget.charge_alloc(texts.size() * separator.size()));
  return base::join(texts, separator);
}

Result<Value> sort_alpha(CallContext& ctx, const Value& v) {
  if (v.is_nothing()) {
    return string_list({"<nil>"});
  }
  CW_TRY(std::vector<std::string> texts, texts_of(ctx, v));
  std::sort(texts.begin(), texts.end());
  return string_list(std::move(texts));
}

// Splits like Go's strings.SplitN: at most `limit` pieces if it is positive, no pieces if it is 0.
// An empty separator splits into code points.
std::vector<std::string> split_n(std::string_view s, std::string_view separator, int64_t limit) {
  std::vector<std::string> pieces;
  if (limit == 0 || (separator.empty() && s.empty())) {
    return pieces;
  }
  const auto room = [&] { return limit < 0 || static_cast<int64_t>(pieces.size()) + 1 < limit; };
  while (room()) {
    const size_t at = separator.empty() ? decode_rune(s).size : find_part(s, separator);
    if (at == std::string_view::npos || (separator.empty() && at >= s.size())) {
      break;
    }
    pieces.emplace_back(s.substr(0, at));
    s.remove_prefix(at + separator.size());
  }
  pieces.emplace_back(s);
  return pieces;
}

Result<Value> numbered(CallContext& ctx, std::vector<std::string> pieces) {
  CW_TRY_VOID(charge_items(ctx, pieces.size()));
  auto dict = std::make_shared<value::Dict>();
  dict->reserve(pieces.size());
  // Insert in key order ("_10" before "_2"), so that each insertion is at the end.
  std::vector<std::pair<std::string, size_t>> keys;
  for (size_t i = 0; i < pieces.size(); ++i) {
    keys.emplace_back("_" + std::to_string(i), i);
  }
  std::sort(keys.begin(), keys.end());
  for (const auto& [key, index] : keys) {
    dict->set(key, Value::string(std::move(pieces[index])));
  }
  return Value::dict(std::move(dict), value::kStringDict);
}

Result<Value> split(CallContext& ctx, std::string_view separator, std::string_view s) {
  CW_TRY_VOID(charge_items(ctx, s.size() + 1));
  return numbered(ctx, split_n(s, separator, -1));
}

Result<Value> splitn(CallContext& ctx, std::string_view separator, int64_t limit,
                     std::string_view s) {
  CW_TRY_VOID(charge_items(ctx, s.size() + 1));
  return numbered(ctx, split_n(s, separator, limit));
}

Result<Value> split_list(CallContext& ctx, std::string_view separator, std::string_view s) {
  CW_TRY_VOID(charge_items(ctx, s.size() + 1));
  return string_list(split_n(s, separator, -1));
}

std::string_view plural(std::string_view one, std::string_view many, int64_t count) {
  return count == 1 ? one : many;
}

std::string hello() { return "Hello!"; }

Result<std::string> fail(std::string_view message) { return failure(std::string(message)); }

}  // namespace

void add_strings(Table& table) {
  table.add("trim", base::trim);
  table.add("trimAll", trim_all).alias("trimall");
  table.add("trimSuffix", trim_suffix);
  table.add("trimPrefix", trim_prefix);
  table.add("upper", upper);
  table.add("lower", lower);
  table.add("title", title);
  table.add("repeat", repeat);
  table.add("replace", replace);
  table.add("contains", contains);
  table.add("hasPrefix", has_prefix);
  table.add("hasSuffix", has_suffix);
  table.add("indent", indent);
  table.add("nindent", nindent);
  table.add("trunc", truncated);
  table.add("substr", substr);
  table.add("quote", quote);
  table.add("squote", squote);
  table.add("cat", cat);
  table.add("toString", to_text);
  table.add("toStrings", to_strings);
  table.add("join", join);
  table.add("sortAlpha", sort_alpha);
  table.add("split", split);
  table.add("splitn", splitn);
  table.add("splitList", split_list);
  table.add("plural", plural);
  table.add("hello", hello);
  table.add("fail", fail);
}

}  // namespace chartwright::helm::funcs
