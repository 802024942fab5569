// SPDX-License-Identifier: Apache-2.0
#include "helm/analysis/output.h"

#include <algorithm>
#include <utility>

namespace chartwright::helm::analysis {
namespace {

using Texts = std::vector<std::string>;

/// The nesting to which short texts are looked for.
constexpr int kOutputDepthMax = 200;

OutputPtr of_parts(Output::Kind kind, std::vector<OutputPtr> parts) {
  auto node = std::make_shared<Output>();
  node->kind = kind;
  node->parts = std::move(parts);
  return node;
}

/// Collects the texts of a tree. `work` bounds the nodes visited, as parts may be shared.
class TextReader {
 public:
  explicit TextReader(size_t most) : most_(most) {}

  std::optional<Texts> read(const Output& node, int depth) {
    if (depth > kOutputDepthMax || ++work_ > kWorkMax) {
      return std::nullopt;
    }
    switch (node.kind) {
      case Output::Kind::kText:
        return node.text.size() <= kWordMax ? std::optional(Texts{std::string(node.text)})
                                            : std::nullopt;
      case Output::Kind::kSequence:
        return sequence(node, depth);
      case Output::Kind::kChoice:
        return choice(node, depth);
      case Output::Kind::kHole:
      case Output::Kind::kRepeated:
      case Output::Kind::kIndented:
        return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  static constexpr size_t kWorkMax = 2000;

  std::optional<Texts> sequence(const Output& node, int depth) {
    Texts all{""};
    for (const OutputPtr& part : node.parts) {
      const auto next = read(*part, depth + 1);
      if (!next) {
        return std::nullopt;
      }
      Texts longer;
      for (const std::string& before : all) {
        for (const std::string& after : *next) {
          if (before.size() + after.size() > kWordMax) {
            return std::nullopt;
          }
          add(before + after, longer);
        }
      }
      if (longer.size() > most_) {
        return std::nullopt;
      }
      all = std::move(longer);
    }
    return all;
  }

  std::optional<Texts> choice(const Output& node, int depth) {
    Texts all;
    for (const OutputPtr& part : node.parts) {
      const auto some = read(*part, depth + 1);
      if (!some) {
        return std::nullopt;
      }
      for (const std::string& text : *some) {
        add(text, all);
      }
      if (all.size() > most_) {
        return std::nullopt;
      }
    }
    return all;
  }

  static void add(std::string text, Texts& into) {
    if (std::find(into.begin(), into.end(), text) == into.end()) {
      into.push_back(std::move(text));
    }
  }

  const size_t most_;
  size_t work_ = 0;
};

}  // namespace

OutputPtr Output::empty() { return std::make_shared<Output>(); }

OutputPtr Output::of_source(std::string_view text, const tmpl::Tree* tree, size_t pos) {
  auto node = std::make_shared<Output>();
  node->kind = Kind::kText;
  node->text = text;
  node->tree = tree;
  node->pos = pos;
  return node;
}

OutputPtr Output::of_text(std::string text) {
  auto node = std::make_shared<Output>();
  node->kind = Kind::kText;
  node->owned = std::move(text);
  node->text = node->owned;
  return node;
}

OutputPtr Output::hole(Steps path, const tmpl::Tree* tree, size_t pos) {
  auto node = std::make_shared<Output>();
  node->kind = Kind::kHole;
  node->path = std::move(path);
  node->tree = tree;
  node->pos = pos;
  return node;
}

OutputPtr Output::sequence(std::vector<OutputPtr> parts) {
  return parts.size() == 1 ? parts.front() : of_parts(Kind::kSequence, std::move(parts));
}

OutputPtr Output::choice(std::vector<OutputPtr> parts) {
  return parts.size() == 1 ? parts.front() : of_parts(Kind::kChoice, std::move(parts));
}

OutputPtr Output::repeated(OutputPtr part) { return of_parts(Kind::kRepeated, {std::move(part)}); }

OutputPtr Output::indented(OutputPtr part, size_t indent) {
  auto node = std::make_shared<Output>();
  node->kind = Kind::kIndented;
  node->parts = {std::move(part)};
  node->indent = indent;
  return node;
}

OutputPtr Output::with_parts(const OutputPtr& of, std::vector<OutputPtr> parts) {
  if (of->parts == parts) {
    return of;
  }
  auto node = std::make_shared<Output>(*of);
  node->parts = std::move(parts);
  return node;
}

std::optional<std::vector<std::string>> texts_of(const OutputPtr& output, size_t most) {
  return TextReader(most).read(*output, 0);
}

}  // namespace chartwright::helm::analysis
