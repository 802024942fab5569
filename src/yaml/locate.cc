// SPDX-License-Identifier: Apache-2.0
#include "yaml/locate.h"

#include <string>
#include <vector>

#include "yaml/events.h"

namespace chartwright::yaml {
namespace {

using base::SourcePos;

// Follows one path through the events of a stream, without storing nodes.
class Locator {
 public:
  explicit Locator(std::span<const value::Path::Step> steps) : steps_(steps) {}

  std::optional<Place> run(std::string_view text, Documents documents) {
    Events events(text);
    Event event;
    while (events.next(event).ok() && event.kind != EventKind::kStreamEnd) {
      if (event.kind == EventKind::kDocumentEnd && documents == Documents::kFirst) {
        break;
      }
      if (!take(event)) {
        break;
      }
    }
    const bool is_found = nearest_ && nearest_->depth == steps_.size();
    return is_found || !indirect_ ? nearest_ : Place{steps_.size(), *indirect_};
  }

 private:
  // An open collection. If it is on the path, `depth` steps lead to it.
  struct Open {
    bool is_mapping = false;
    bool on_path = false;
    size_t depth = 0;
    bool at_key = true;        // The next node of a mapping is a key.
    bool key_matches = false;  // The value that follows is the one sought.
    bool key_merges = false;
    size_t index = 0;
    SourcePos key_pos = {};
  };

  // Returns false to stop.
  bool take(const Event& event) {
    switch (event.kind) {
      case EventKind::kScalar:
      case EventKind::kAlias:
        node(event);
        return true;
      case EventKind::kSequenceStart:
      case EventKind::kMappingStart: {
        Open opened = node(event);
        opened.is_mapping = event.kind == EventKind::kMappingStart;
        open_.push_back(opened);
        return open_.size() <= kDepthMax;
      }
      case EventKind::kSequenceEnd:
      case EventKind::kMappingEnd:
        open_.pop_back();
        return true;
      case EventKind::kDocumentStart:
      case EventKind::kDocumentEnd:
      case EventKind::kStreamEnd:
        break;
    }
    return true;
  }

  // Counts a node in the collection around it. Returns the collection that it opens, if it is one.
  Open node(const Event& event) {
    if (open_.empty()) {
      return Open{.on_path = true};
    }
    Open& around = open_.back();
    if (around.is_mapping && around.at_key) {
      key(event, around);
      return {};
    }
    const bool matches =
        around.on_path && (around.is_mapping ? around.key_matches : is_index(around));
    const SourcePos pos =
        around.is_mapping ? around.key_pos : SourcePos{"", event.line, event.column};
    if (around.on_path && around.is_mapping && around.key_merges) {
      indirect_ = pos;
    }
    around.at_key = true;
    ++around.index;
    if (!matches) {
      return {};
    }
    const size_t depth = around.depth + 1;
    // Matches below an earlier equal key do not count.
    nearest_ = {depth, pos};
    if (depth < steps_.size() && event.kind == EventKind::kAlias) {
      indirect_ = pos;
    }
    return Open{.on_path = depth < steps_.size(), .depth = depth};
  }

  void key(const Event& event, Open& around) const {
    const bool is_scalar = event.kind == EventKind::kScalar;
    const auto* name =
        around.depth < steps_.size() ? std::get_if<std::string>(&steps_[around.depth]) : nullptr;
    around.at_key = false;
    around.key_matches = is_scalar && name != nullptr && *name == event.value;
    around.key_merges = is_scalar && event.implicit && event.value == "<<";
    around.key_pos = {"", event.line, event.column};
  }

  bool is_index(const Open& around) const {
    const size_t* index = std::get_if<size_t>(&steps_[around.depth]);
    return index != nullptr && *index == around.index;
  }

  std::span<const value::Path::Step> steps_;
  std::vector<Open> open_;
  std::optional<Place> nearest_;
  std::optional<SourcePos> indirect_;
};

SourcePos pos_of(const Node& node) { return {"", node.line, node.column}; }

// A member of a collection that was read; nulls if there is none.
struct Member {
  const Node* place = nullptr;
  const Node* value = nullptr;
  const Node* merge = nullptr;  // The last merge key.
};

Member member(const Document& document, const Node& around, const value::Path::Step& step) {
  const std::span<const NodeId> children = document.children_of(around);
  Member found;
  const size_t* const index = std::get_if<size_t>(&step);
  const std::string* const name = std::get_if<std::string>(&step);
  if (around.kind == NodeKind::kSequence && index != nullptr && *index < children.size()) {
    found.place = found.value = &document.at(children[*index]);
  }
  for (size_t i = 0; around.kind == NodeKind::kMapping && name != nullptr && i < children.size();
       i += 2) {
    const Node& key = document.at(children[i]);
    const bool is_scalar = key.kind == NodeKind::kScalar;
    if (is_scalar && key.text == *name) {
      found.place = &key;
      found.value = &document.at(children[i + 1]);
    }
    found.merge = is_scalar && key.implicit && key.text == "<<" ? &key : found.merge;
  }
  return found;
}

}  // namespace

std::optional<Place> nearest_in_yaml(std::string_view text,
                                     std::span<const value::Path::Step> steps,
                                     Documents documents) {
  return steps.empty() ? std::nullopt : Locator(steps).run(text, documents);
}

std::optional<Place> nearest_in_yaml(const Document& document,
                                     std::span<const value::Path::Step> steps) {
  std::optional<Place> nearest;
  const Node* around = document.empty() ? nullptr : &document.at(0);
  for (size_t depth = 0; around != nullptr && depth < steps.size(); ++depth) {
    const Member found = member(document, *around, steps[depth]);
    if (around->kind == NodeKind::kAlias) {
      return Place{steps.size(), nearest->pos};
    }
    if (found.place == nullptr) {
      return found.merge != nullptr ? Place{steps.size(), pos_of(*found.merge)} : nearest;
    }
    nearest = Place{depth + 1, pos_of(*found.place)};
    around = found.value;
  }
  return nearest;
}

std::optional<SourcePos> locate_in_yaml(std::string_view text,
                                        std::span<const value::Path::Step> steps,
                                        Documents documents) {
  const auto nearest = nearest_in_yaml(text, steps, documents);
  return nearest && nearest->depth == steps.size() ? std::optional(nearest->pos) : std::nullopt;
}

}  // namespace chartwright::yaml
