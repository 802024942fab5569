// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "helm/analysis/keys.h"
#include "helm/analysis/usage.h"
#include "helm/render/renderable_chart.h"
#include "value/value.h"

namespace chartwright::helm::analysis {

/// The keys of the values that a chart reads, for any values. Found once per chart; immutable.
struct ReadKeys {
  using Words = std::set<std::string, std::less<>>;

  KeyUsage root;
  Keys defined;  ///< Those of values.yaml and the schemas, for suggestions.
  /// The words in the files of operator/ and in what they include, which may read a key of that
  /// name from the spec.
  Words mentioned;
  /// The words in the actions of the templates, which may read a key of that name in a way that
  /// `root` does not have.
  Words in_actions;
  /// The places of the values of the charts, if their templates give `tpl` texts that may be
  /// values.
  std::vector<Steps> evaluating;
  bool walked = true;    ///< False if the templates are too large: uses may be missing.
  bool complete = true;  ///< False if the templates may read keys that `root` does not have.
};

/// Finds the keys that the templates of a chart, of its dependencies and of operator/ read. Error:
/// kParse for a template that does not parse.
base::Result<ReadKeys> read_keys(const helm::RenderableChart& chart);

/// A key that probably nothing reads: a typing error.
struct UnreadKey {
  Steps path;
  std::string nearest;  ///< The key in its place that may be meant; empty: none is close.
  bool is_certain;      ///< False if a template may read it without naming it.
  /// Returns `"replicaCuont" is read by no template, did you mean "replicaCount"?`, or
  /// `"replicaCuont" is named by no template, …`.
  std::string to_string() const;
};

/// Returns the keys of `values`, such as the spec of a custom resource, that nothing reads: only
/// the topmost of each unread tree, at most kUnreadMax. Texts among the values that `tpl` evaluates
/// read keys, too; if there are too many of them, no key is returned. Where a template may read any
/// key, because it copies a table, computes a name or is too large to be followed, those that are
/// almost a key that is read by its name.
std::vector<UnreadKey> unread_keys(const ReadKeys& keys, const value::Value& values);
inline constexpr size_t kUnreadMax = 100;

/// Reports whether a word stands in the files of operator/ or in what they include.
using WordTest = std::function<bool(std::string_view word)>;

/// Marks the keys of `values` that files of operator/ may use: those of which all words stand
/// there. They see the values as the spec of a custom resource and may refer to them in any form.
/// Asks for each word of a key once at most, so that large files cost no more where there are many
/// keys.
void mark_mentioned(const value::Value& values, const WordTest& is_mentioned, KeyUsage& root);

/// Marks the keys that are read other than by the templates' own expressions: by Helm, by name in
/// texts that `tpl` evaluates, and by the files of operator/ and what they include.
void mark_indirect_uses(const helm::RenderableChart& chart, const std::vector<ScopeOfChart>& scopes,
                        Usage& usage);

}  // namespace chartwright::helm::analysis
