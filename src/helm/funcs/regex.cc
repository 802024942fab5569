// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "base/unicode.h"
#include "go/quote.h"
#include "go/regexp.h"
#include "helm/funcs/caches.h"
#include "helm/funcs/families.h"
#include "helm/funcs/go_value.h"

// Source: Masterminds/sprig v3.3.0 regex.go and Go's regexp.go.
namespace chartwright::helm::funcs {
namespace {

// The must... functions return the error of an invalid pattern.
Result<go::Regexp> compile(CallContext& ctx, std::string_view pattern) {
  CW_TRY_VOID(ctx.budget.charge_work(go::Regexp::compile_work(pattern.size())));
  return caches_of(ctx).regexps.compile(pattern);
}

// The other functions panic with the error of an invalid pattern.
Result<go::Regexp> must_compile(CallContext& ctx, std::string_view pattern) {
  Result<go::Regexp> compiled = compile(ctx, pattern);
  if (compiled.ok() || compiled.error().code() == base::ErrorCode::kBudget) {
    return compiled;
  }
  const std::string quoted =
      go::can_backquote(pattern) ? "`" + std::string(pattern) + "`" : go::quote(pattern);
  return failure("regexp: Compile(" + quoted + "): " + compiled.error().message());
}

using Compiler = Result<go::Regexp> (*)(CallContext&, std::string_view);

// Charges for one pass over the text, regardless of the number of matches.
base::Status charge_text(CallContext& ctx, const go::Regexp& regexp, std::string_view text) {
  return ctx.budget.charge_work(regexp.search_work(text.size()));
}

// Charges for one match of many. To find the end of a match, a search may read all the remaining
// text, but usually reads little: charge a small fraction, so that the clock is checked in time.
base::Status charge_match(CallContext& ctx, const go::Regexp& regexp, size_t bytes_left) {
  constexpr size_t kLookedAtPart = 4096;
  CW_TRY_VOID(ctx.budget.charge_step());
  return ctx.budget.charge_work(regexp.search_work(bytes_left) / kLookedAtPart);
}

// Charges for one string that becomes an item of a list.
base::Status charge_piece(CallContext& ctx, std::string_view piece) {
  return ctx.budget.charge_alloc(piece.size() + sizeof(std::string) + sizeof(Value));
}

Result<bool> must_match(CallContext& ctx, std::string_view pattern, std::string_view text) {
  CW_TRY(const go::Regexp regexp, compile(ctx, pattern));
  CW_TRY_VOID(charge_text(ctx, regexp, text));
  return regexp.matches(text);
}

Result<bool> match(CallContext& ctx, std::string_view pattern, std::string_view text) {
  Result<bool> matched = must_match(ctx, pattern, text);
  if (!matched.ok() && matched.error().code() != base::ErrorCode::kBudget) {
    return false;
  }
  return matched;
}

template <Compiler kCompile>
Result<std::string> find(CallContext& ctx, std::string_view pattern, std::string_view text) {
  CW_TRY(const go::Regexp regexp, kCompile(ctx, pattern));
  CW_TRY_VOID(charge_text(ctx, regexp, text));
  const std::optional<go::Regexp::Match> match = regexp.find(text, 0, go::Regexp::Groups::kWhole);
  return match ? std::string(match->front().in(text)) : std::string();
}

template <Compiler kCompile>
Result<Value> find_all(CallContext& ctx, std::string_view pattern, std::string_view text,
                       int64_t limit) {
  CW_TRY(const go::Regexp regexp, kCompile(ctx, pattern));
  std::vector<std::string> found;
  const auto add = [&](const go::Regexp::Match& match) -> base::Status {
    CW_TRY_VOID(charge_match(ctx, regexp, text.size() - match.front().end));
    found.emplace_back(match.front().in(text));
    return charge_piece(ctx, found.back());
  };
  CW_TRY_VOID(regexp.for_each_match(text, limit, go::Regexp::Groups::kWhole, add));
  return found.empty() ? Value::nil_list(value::kStringList) : string_list(std::move(found));
}

// A reference to a group in a replacement: $1, ${1}, $name, ${name}.
struct Reference {
  std::string_view name;
  size_t size = 0;  // In bytes, including '$'; 0 if the '$' does not begin a reference.
};

bool is_name_rune(char32_t r) { return r == '_' || base::is_letter(r) || base::is_digit(r); }

Reference parse_reference(std::string_view text) {
  const bool braced = text.substr(1).starts_with('{');
  const size_t start = braced ? 2 : 1;
  size_t end = start;
  while (end < text.size()) {
    const base::DecodedRune next = base::decode_rune(text.substr(end));
    if (!is_name_rune(next.rune)) {
      break;
    }
    end += next.size;
  }
  const std::string_view name = text.substr(start, end - start);
  if (name.empty() || (braced && (end == text.size() || text[end] != '}'))) {
    return {};
  }
  return {name, braced ? end + 1 : end};
}

// Returns the string that a reference expands to. A name of digits is a group number, unless it has
// a leading zero or is far too long.
std::string_view referred_text(const go::Regexp& regexp, std::string_view text,
                               const go::Regexp::Match& match, std::string_view name) {
  constexpr size_t kDigitsMax = 8;
  if (name.find_first_not_of("0123456789") == std::string_view::npos &&
      (name.size() == 1 || name[0] != '0') && name.size() <= kDigitsMax) {
    const auto number = static_cast<size_t>(base::parse_int(name).value_or(0));
    return number < match.size() ? match[number].in(text) : std::string_view();
  }
  const std::optional<size_t> group = regexp.group(name);
  return group ? match[*group].in(text) : std::string_view();
}

// Appends `replacement` with its references expanded. Source: Go regexp.Expand.
void expand(std::string& out, const go::Regexp& regexp, std::string_view text,
            const go::Regexp::Match& match, std::string_view replacement) {
  while (!replacement.empty()) {
    const size_t dollar = std::min(replacement.find('$'), replacement.size());
    out += replacement.substr(0, dollar);
    replacement.remove_prefix(dollar);
    if (replacement.starts_with("$$")) {
      out += '$';
      replacement.remove_prefix(2);
    } else if (!replacement.empty()) {
      const Reference reference = parse_reference(replacement);
      if (reference.size == 0) {
        out += '$';
        replacement.remove_prefix(1);
      } else {
        out += referred_text(regexp, text, match, reference.name);
        replacement.remove_prefix(reference.size);
      }
    }
  }
}

enum class Replacement : uint8_t { kTemplate, kLiteral };

// Source: Go regexp.replaceAll.
Result<std::string> replace_matches(CallContext& ctx, const go::Regexp& regexp,
                                    std::string_view text, std::string_view replacement,
                                    Replacement kind) {
  const bool refers = kind == Replacement::kTemplate && replacement.find('$') != replacement.npos;
  const go::Regexp::Groups groups = refers ? go::Regexp::Groups::kAll : go::Regexp::Groups::kWhole;
  std::string out;
  const go::SearchedText searched(text);
  size_t copied = 0;
  size_t at = 0;
  while (at <= text.size()) {
    CW_TRY_VOID(charge_match(ctx, regexp, text.size() - at));
    const std::optional<go::Regexp::Match> match = regexp.find(searched, at, groups);
    if (!match) {
      break;
    }
    const auto [begin, end] = match->front();
    const size_t before = out.size();
    out += text.substr(copied, begin - copied);
    if (end > copied || begin == 0) {
      if (refers) {
        expand(out, regexp, text, *match, replacement);
      } else {
        out += replacement;
      }
    }
    CW_TRY_VOID(ctx.budget.charge_alloc(out.size() - before));
    copied = end;
    const size_t width = at < text.size() ? base::decode_rune(text.substr(at)).size : 1;
    at = std::max(at + width, end);
  }
  CW_TRY_VOID(ctx.budget.charge_alloc(text.size() - copied));
  out += text.substr(copied);
  return out;
}

template <Compiler kCompile, Replacement kKind>
Result<std::string> replace_all(CallContext& ctx, std::string_view pattern, std::string_view text,
                                std::string_view replacement) {
  CW_TRY(const go::Regexp regexp, kCompile(ctx, pattern));
  CW_TRY_VOID(charge_text(ctx, regexp, text));
  return replace_matches(ctx, regexp, text, replacement, kKind);
}

// Source: Go regexp.Split.
Result<std::vector<std::string>> split_text(CallContext& ctx, const go::Regexp& regexp,
                                            std::string_view text, int64_t limit) {
  std::vector<std::string> pieces;
  if (!regexp.pattern().empty() && text.empty()) {
    pieces.emplace_back();
    return pieces;
  }
  size_t begin = 0;
  size_t end = 0;
  const auto cut = [&](const go::Regexp::Match& match) -> base::Status {
    CW_TRY_VOID(charge_match(ctx, regexp, text.size() - match.front().end));
    if (limit > 0 && static_cast<int64_t>(pieces.size()) == limit - 1) {
      return {};
    }
    end = match.front().begin;
    if (match.front().end != 0) {
      pieces.emplace_back(text.substr(begin, end - begin));
      CW_TRY_VOID(charge_piece(ctx, pieces.back()));
    }
    begin = match.front().end;
    return {};
  };
  CW_TRY_VOID(regexp.for_each_match(text, limit, go::Regexp::Groups::kWhole, cut));
  if (end != text.size()) {
    pieces.emplace_back(text.substr(begin));
    CW_TRY_VOID(charge_piece(ctx, pieces.back()));
  }
  return pieces;
}

template <Compiler kCompile>
Result<Value> split_matches(CallContext& ctx, std::string_view pattern, std::string_view text,
                            int64_t limit) {
  CW_TRY(const go::Regexp regexp, kCompile(ctx, pattern));
  CW_TRY_VOID(charge_text(ctx, regexp, text));
  if (limit == 0) {
    return Value::nil_list(value::kStringList);
  }
  CW_TRY(std::vector<std::string> pieces, split_text(ctx, regexp, text, limit));
  return string_list(std::move(pieces));
}

std::string quote_meta(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos) {
      out += '\\';
    }
    out += c;
  }
  return out;
}

}  // namespace

void add_regex(Table& table) {
  table.add("regexMatch", match);
  table.add("mustRegexMatch", must_match);
  table.add("regexFind", find<must_compile>);
  table.add("mustRegexFind", find<compile>);
  table.add("regexFindAll", find_all<must_compile>);
  table.add("mustRegexFindAll", find_all<compile>);
  table.add("regexReplaceAll", replace_all<must_compile, Replacement::kTemplate>);
  table.add("mustRegexReplaceAll", replace_all<compile, Replacement::kTemplate>);
  table.add("regexReplaceAllLiteral", replace_all<must_compile, Replacement::kLiteral>);
  table.add("mustRegexReplaceAllLiteral", replace_all<compile, Replacement::kLiteral>);
  table.add("regexSplit", split_matches<must_compile>);
  table.add("mustRegexSplit", split_matches<compile>);
  table.add("regexQuoteMeta", quote_meta);
}

}  // namespace chartwright::helm::funcs
