// SPDX-License-Identifier: Apache-2.0
#include "external/order.h"

#include <algorithm>

#include "base/strings.h"
#include "go/quote.h"

namespace chartwright::external {
namespace {

using yaml::DocumentNode;

}  // namespace

base::Status Order::add(const std::string& name, const DocumentNode& place,
                        const std::vector<Mention>& mentions) {
  if (const size_t other = find(name); other < entries_.size()) {
    const auto& first = entries_[other].place.pos;
    return yaml::invalid_node(place, "there is another external " + go::quote(name) + " at " +
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
      return yaml::invalid_node(
          mention.place,
          "there is no external " + go::quote(mention.name) +
              (near.empty() ? std::string()
                            : ", did you mean " + go::quote(std::string(near)) + "?"));
    }
  }
  return {};
}

// `circle` leads to the mention, which closes it.
base::Error Order::in_circle(const Mention& mention, const std::vector<size_t>& circle) const {
  if (circle.size() == 1) {
    return yaml::invalid_node(
        mention.place, "the external reads its own capture; in its own templates that is .id");
  }
  std::vector<std::string> names;
  std::ranges::for_each(circle, [&](size_t i) { names.push_back(entries_[i].name); });
  names.push_back(mention.name);
  const std::string through =
      mention.value.empty()
          ? ""
          : " (operator/values.yaml makes " + mention.value + " of .External." + mention.name + ")";
  return yaml::invalid_node(mention.place, "the externals depend on each other in a circle: " +
                                               base::join(names, " -> ") + through +
                                               "; one of them has to come first");
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
      return in_circle(mention, {begin, path.end()});
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
