// SPDX-License-Identifier: Apache-2.0
#include "external/order.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/strings.h"
#include "go/quote.h"

namespace chartwright::external {
namespace {

using base::Error;
using base::ErrorCode;
using yaml::DocumentNode;

constexpr std::string_view kMember = ".External";

Error unordered(const DocumentNode& node, std::string_view problem) {
  const Error located = yaml::document_error(node, problem);
  Error error(ErrorCode::kInvalidArgument, located.message());
  return located.pos() ? std::move(error).at(*located.pos()) : error;
}

bool is_identifier(char c) {
  return base::is_ascii_letter(c) || base::is_ascii_digit(c) || c == '_';
}

// The name right after `.External`: a field, or the argument of index.
std::string name_after(std::string_view rest) {
  if (rest.starts_with('.')) {
    const auto end = std::find_if_not(rest.begin() + 1, rest.end(), is_identifier);
    return {rest.begin() + 1, end};
  }
  const size_t quote = rest.find_first_not_of(' ');
  if (quote == std::string_view::npos || quote == 0 || rest[quote] != '"') {
    return {};
  }
  const size_t end = rest.find('"', quote + 1);
  return end == std::string_view::npos ? "" : std::string(rest.substr(quote + 1, end - quote - 1));
}

}  // namespace

std::vector<std::string> externals_named_in(std::string_view text) {
  std::vector<std::string> names;
  for (size_t at = text.find(kMember); at != std::string_view::npos;
       at = text.find(kMember, at + 1)) {
    std::string name = name_after(text.substr(at + kMember.size()));
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

base::Status Order::add(const std::string& name, const DocumentNode& place,
                        const std::vector<Mention>& mentions) {
  if (const size_t other = find(name); other < entries_.size()) {
    const auto& first = entries_[other].place.pos;
    return unordered(place, "there is another external " + go::quote(name) + " at " +
                                first.to_string() + "; each needs a name of its own");
  }
  entries_.push_back({name, place, mentions});
  return {};
}

size_t Order::find(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [name](const Entry& entry) { return entry.name == name; });
  return static_cast<size_t>(found - entries_.begin());
}

base::Status Order::check_names() const {
  for (const Entry& entry : entries_) {
    for (const Mention& mention : entry.mentions) {
      if (find(mention.name) < entries_.size()) {
        continue;
      }
      std::vector<std::string_view> names;
      for (const Entry& known : entries_) {
        names.push_back(known.name);
      }
      const std::string_view near = base::nearest(mention.name, names);
      return unordered(mention.place,
                       "there is no external " + go::quote(mention.name) +
                           (near.empty() ? std::string()
                                         : ", did you mean " + go::quote(std::string(near)) + "?"));
    }
  }
  return {};
}

// Depth first; `path` leads here, `done` is the result.
base::Status Order::visit(size_t position, std::vector<size_t>& path,
                          std::vector<size_t>& done) const {
  if (std::find(done.begin(), done.end(), position) != done.end()) {
    return {};
  }
  path.push_back(position);
  for (const Mention& mention : entries_[position].mentions) {
    const size_t used = find(mention.name);
    const auto begin = std::find(path.begin(), path.end(), used);
    if (begin != path.end()) {
      std::vector<std::string> circle;
      std::for_each(begin, path.end(), [&](size_t i) { circle.push_back(entries_[i].name); });
      circle.push_back(mention.name);
      return unordered(mention.place,
                       path.back() == used
                           ? "the external reads its own capture; in its own templates that is .id"
                           : "the externals depend on each other in a circle: " +
                                 base::join(circle, " -> ") + "; one of them has to come first");
    }
    CW_TRY_VOID(visit(used, path, done));
  }
  path.pop_back();
  done.push_back(position);
  return {};
}

base::Result<std::vector<size_t>> Order::sorted() const {
  CW_TRY_VOID(check_names());
  std::vector<size_t> done;
  for (size_t i = 0; i < entries_.size(); ++i) {
    std::vector<size_t> path;
    CW_TRY_VOID(visit(i, path, done));
  }
  return done;
}

std::set<std::string> Order::uses(size_t position) const {
  std::set<std::string> all;
  for (const Mention& mention : entries_[position].mentions) {
    if (all.insert(mention.name).second) {
      all.merge(uses(find(mention.name)));
    }
  }
  return all;
}

}  // namespace chartwright::external
