// SPDX-License-Identifier: Apache-2.0
#include "tmpl/template.h"

#include <algorithm>
#include <utility>

#include "go/quote.h"
#include "tmpl/ast.h"
#include "tmpl/parser.h"

namespace chartwright::tmpl {

// The trees added by one Template, above those shared with the Template from which it was copied.
struct Template::Layer {
  std::shared_ptr<const Layer> below;
  TreeMap trees;
};

Template::Template(std::shared_ptr<const FunctionMap> functions, std::string name)
    : functions_(std::move(functions)), name_(std::move(name)), layer_(std::make_shared<Layer>()) {}

const Tree* Template::find(std::string_view name) const {
  for (const Layer* layer = layer_.get(); layer != nullptr; layer = layer->below.get()) {
    if (auto it = layer->trees.find(name); it != layer->trees.end()) {
      return it->second.get();
    }
  }
  return nullptr;
}

base::Status Template::parse(std::string_view name, std::string text) {
  CW_TRY_DISCARD(parse_tree(name, std::move(text)));
  return {};
}

base::Result<std::shared_ptr<const Tree>> Template::parse_tree(std::string_view name,
                                                               std::string text) {
  CW_TRY(auto trees,
         parse_template(std::string(name), std::make_shared<const std::string>(std::move(text)),
                        functions_));
  if (layer_.use_count() > 1) {
    auto own = std::make_shared<Layer>();
    own->below = std::exchange(layer_, nullptr);
    layer_ = std::move(own);
  }
  const std::shared_ptr<const Tree> own_tree = trees.find(name)->second;
  for (auto& [tree_name, tree] : trees) {
    if (!is_empty(tree->body) || find(tree_name) == nullptr) {  // An empty body replaces nothing.
      layer_->trees.insert_or_assign(tree_name, std::move(tree));
    }
  }
  return own_tree;
}

bool Template::has(std::string_view name) const { return find(name) != nullptr; }

std::vector<std::string> Template::names() const {
  std::vector<std::string> out;
  for (const Layer* layer = layer_.get(); layer != nullptr; layer = layer->below.get()) {
    for (const auto& entry : layer->trees) {
      out.push_back(entry.first);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

base::Error Template::not_found(std::string_view name) const {
  return base::Error(
      base::ErrorCode::kNotFound,
      "template: no template " + go::quote(name) + " associated with template " + go::quote(name_));
}

}  // namespace chartwright::tmpl
