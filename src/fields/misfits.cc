// SPDX-License-Identifier: Apache-2.0
#include "fields/misfits.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

#include "base/strings.h"
#include "base/unicode.h"
#include "go/quote.h"
#include "kube/schema_refusal.h"
#include "value/path.h"

namespace chartwright::fields {
namespace {

using base::ErrorCause;
using value::Path;
using value::Value;
using Steps = std::vector<Path::Step>;

constexpr std::string_view kButTheLast = ", but for the last";
constexpr std::string_view kBetween = "; ";

/// Returns a scalar as structured-merge-diff writes it in a path; nullopt for other values.
std::optional<std::string> scalar_text(const Value& scalar) {
  if (scalar.is_string()) {
    return go::quote(scalar.as_string());
  }
  if (scalar.is_int()) {
    return std::to_string(scalar.as_int());
  }
  if (scalar.is_bool()) {
    return scalar.as_bool() ? "true" : "false";
  }
  return std::nullopt;
}

/// Returns the length of the text at the beginning of `text` that `end` follows, outside quotes.
size_t length_until(std::string_view text, std::string_view ends) {
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && quoted) {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && ends.find(text[i]) != std::string_view::npos) {
      return i;
    }
  }
  return text.size();
}

/// How the key of an item compares with one in a path. The schema has defaults for some fields of
/// keys (a port's protocol), which an item may lack.
enum class Match : uint8_t { kNo, kYes, kByDefault };

/// `key` is the text between the brackets: `containerPort=80,protocol="TCP"`, or `="a"` in a set.
Match match(const Value& item, std::string_view key) {
  if (key.starts_with('=')) {
    return scalar_text(item) == key.substr(1) ? Match::kYes : Match::kNo;
  }
  Match found = Match::kYes;
  while (!key.empty()) {
    const std::string_view part = key.substr(0, length_until(key, ","));
    key.remove_prefix(std::min(part.size() + 1, key.size()));
    const size_t equal = part.find('=');
    if (equal == std::string_view::npos) {
      return Match::kNo;
    }
    const Value* member = item.find(part.substr(0, equal));
    if (member == nullptr) {
      found = Match::kByDefault;
    } else if (scalar_text(*member) != part.substr(equal + 1)) {
      return Match::kNo;
    }
  }
  return item.is_dict() ? found : Match::kNo;
}

/// Returns the places of the items with that key, in order.
std::vector<size_t> items_with(const Value& list, std::string_view key) {
  std::vector<size_t> exact;
  std::vector<size_t> all;
  const std::vector<Value>& items = list.as_list().items;
  for (size_t i = 0; i < items.size(); ++i) {
    const Match found = match(items[i], key);
    if (found == Match::kYes) {
      exact.push_back(i);
    }
    if (found != Match::kNo) {
      all.push_back(i);
    }
  }
  // The default is not known, but a key of two items that name it needs none.
  return exact.size() > 1 ? exact : all;
}

/// Finds what a path of structured-merge-diff names in a body.
class Finder {
 public:
  /// Adds the steps to each value that `path`, relative to `node`, names. A name may contain dots.
  void find(const Value& node, std::string_view path) {
    if (path.empty()) {
      found_.push_back(steps_);
    } else if (path.starts_with('.') && node.is_dict()) {
      for (const auto& [name, member] : node.as_dict()) {
        const std::string_view rest = path.substr(1);
        if (rest.starts_with(name) &&
            (rest.size() == name.size() || rest[name.size()] == '.' || rest[name.size()] == '[')) {
          step_into(name, member, rest.substr(name.size()));
        }
      }
    } else if (path.starts_with('[') && node.is_list()) {
      const size_t length = length_until(path, "]");
      const std::string_view rest = path.substr(std::min(length + 1, path.size()));
      for (const size_t i : places(node, path.substr(1, length - 1))) {
        step_into(i, node.as_list().items[i], rest);
      }
    }
  }
  std::vector<Steps> take() { return std::move(found_); }

 private:
  static std::vector<size_t> places(const Value& list, std::string_view key) {
    if (!key.empty() && key.find_first_not_of("0123456789") == std::string_view::npos) {
      const size_t size = list.as_list().items.size();
      const auto place = static_cast<size_t>(base::parse_int(key).value_or(-1));
      return place < size ? std::vector{place} : std::vector<size_t>();
    }
    return items_with(list, key);
  }
  void step_into(Path::Step step, const Value& member, std::string_view rest) {
    if (steps_.size() < Path::kMaxSteps) {
      steps_.push_back(std::move(step));
      find(member, rest);
      steps_.pop_back();
    }
  }

  Steps steps_;
  std::vector<Steps> found_;
};

/// The places that are to be removed, and the text about them.
struct Misfit {
  std::vector<Path> places;
  std::string text;
};

/// A create prunes nulls of custom resources whose schema does not allow them, before it validates;
/// a server-side apply does not. Source: apiextensions-apiserver,
/// PruneNonNullableNullsWithoutDefaults.
bool refuses_null(const ErrorCause& cause) { return cause.message.ends_with(": \"null\""); }

/// Beside faults of the schema, the API server says that it has not checked the rules of a CRD.
bool is_remark(const ErrorCause& cause) {
  return cause.message.find("some validation rules were not checked") != std::string::npos;
}

/// Without places if the cause is of another kind, or names nothing in the body.
Misfit misfit_of(const ErrorCause& cause, const Value& body) {
  Misfit misfit;
  misfit.text = cause.field.substr(cause.field.starts_with('.') ? 1 : 0);
  Finder finder;
  finder.find(body, (cause.field.starts_with('.') ? "" : ".") + cause.field);
  const std::string& key = cause.message;
  for (Steps& steps : finder.take()) {
    if (const Value* found = Path(steps).get(body);
        refuses_null(cause) && found != nullptr && found->is_nil()) {
      misfit.places.emplace_back(std::move(steps));
      misfit.text.clear();
    } else if (cause.reason == kube::kUndeclaredField) {
      misfit.places.emplace_back(std::move(steps));
    } else if (cause.reason == kube::kDuplicateKey && key.starts_with('[') && key.ends_with(']')) {
      const Value* list = Path(steps).get(body);
      if (list == nullptr || !list->is_list()) {
        continue;
      }
      std::vector<size_t> items =
          items_with(*list, std::string_view(key).substr(1, key.size() - 2));
      for (size_t i = 0; i + 1 < items.size(); ++i) {
        Steps item = steps;
        item.emplace_back(items[i]);
        misfit.places.emplace_back(std::move(item));
      }
    }
  }
  if (cause.reason == kube::kDuplicateKey) {
    misfit.text += key + std::string(kButTheLast);
  }
  return misfit;
}

/// Returns the parts of a text about what was left out, with their places.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t length = length_until(text, ";");
    parts.push_back(text.substr(0, length));
    text.remove_prefix(std::min(length + kBetween.size(), text.size()));
  }
  return parts;
}

std::string_view without_place(std::string_view part) {
  const size_t place = part.ends_with(')') ? part.rfind(" (") : std::string_view::npos;
  return part.substr(0, place);
}

}  // namespace

std::optional<std::vector<std::string>> leave_misfits(const base::Error& refusal, Value& body) {
  std::vector<std::string> texts;
  std::vector<Path> places;
  for (const ErrorCause& cause : refusal.causes()) {
    if (is_remark(cause)) {
      continue;
    }
    Misfit misfit = misfit_of(cause, body);
    if (misfit.places.empty()) {
      return std::nullopt;
    }
    if (!misfit.text.empty()) {
      texts.push_back(std::move(misfit.text));
    }
    std::ranges::move(misfit.places, std::back_inserter(places));
  }
  if (places.empty()) {
    return std::nullopt;
  }
  // From the last item of a list to the first, so that places stay valid.
  std::ranges::sort(places, std::greater(), &Path::steps);
  places.erase(std::unique(places.begin(), places.end(),
                           [](const Path& a, const Path& b) { return a.steps() == b.steps(); }),
               places.end());
  for (const Path& place : places) {
    place.erase(body);
  }
  std::ranges::sort(texts);
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

std::string left_out_text(const std::vector<std::string>& left_out, const std::string& former) {
  constexpr size_t kNamedMax = 10;
  constexpr size_t kNameBytesMax = 300;
  std::vector<std::string> named;
  for (size_t i = 0; i < std::min(left_out.size(), kNamedMax); ++i) {
    named.push_back(base::shortened(left_out[i], kNameBytesMax));
  }
  if (const size_t rest = left_out.size() - named.size(); rest > 0) {
    named.push_back("and " + std::to_string(rest) + " more");
  }
  std::string text = base::join(named, kBetween);
  return with_places(former, nullptr) == text ? former : text;
}

std::string with_places(const std::string& left_out,
                        const std::function<std::string(std::string_view part)>& place_of) {
  constexpr size_t kPlaceBytesMax = 200;
  std::vector<std::string> parts;
  for (const std::string_view known : parts_of(left_out)) {
    const std::string_view part = without_place(known);
    const std::string place =
        place_of ? base::shortened(place_of(part), kPlaceBytesMax) : std::string();
    parts.push_back(std::string(part) + (place.empty() ? "" : " (" + place + ")"));
  }
  return base::join(parts, kBetween);
}

std::optional<Path> place_of_left_out(std::string_view part, const Value& object) {
  if (part.ends_with(kButTheLast)) {
    part.remove_suffix(kButTheLast.size());
  }
  Finder finder;
  finder.find(object, "." + std::string(part));
  std::vector<Steps> found = finder.take();
  return found.empty() ? std::nullopt : std::optional(Path(std::move(found.front())));
}

}  // namespace chartwright::fields
