// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/value.h"
#include "yaml/nodes.h"

// YAML as helm-unittest reads and writes it: with go.yaml.in/yaml/v3, where "yes" is a string, a
// whole number is an int and an unquoted date a time.Time.
namespace chartwright::suite {

/// A piece of a text, and the number of lines before it.
struct TextPart {
  std::string_view text;
  size_t lines_before = 0;
  bool is_last = true;

  /// Returns the part as a document of its own. A separator leaves the line before it with its end,
  /// which a block scalar keeps.
  std::string document() const { return std::string(text) + (is_last ? "" : "\n"); }
};

/// Splits a text at each "---" at the start of a line, with the white space around it. Parts may be
/// blank. Source: helm-unittest pkg/unittest/test_suite.go splitterPattern.
std::vector<TextPart> split_documents(std::string_view text);

/// A document as it was written, for the places of its members, and its value.
struct TypedDocument {
  yaml::Document written;
  value::Value value;
};

/// Decodes the first document of `text`, which must outlive the result; nil if there is none.
/// Numbers are int64, uint64 or float64. `lines_before` is added to the line numbers of errors.
/// Errors: kParse in go-yaml's words, also for a key that occurs twice; kBudget.
base::Result<TypedDocument> read_typed_yaml(std::string_view text, size_t lines_before);
base::Result<value::Value> parse_typed_yaml(std::string_view text, size_t lines_before = 0);

/// Decodes the objects of a rendered file, without empty ones. Errors: as parse_typed_yaml, and for
/// a document that is not a map.
base::Result<std::vector<value::Value>> parse_manifests(std::string_view text);

/// Returns the YAML text of a value, with two spaces of indentation and without the line breaks
/// that start its strings. Error: kBudget for depth and size.
base::Result<std::string> typed_yaml(const value::Value& v);

/// Returns the value as it is once it was written as YAML and read again: a float without a
/// fraction is an int then.
value::Value reread(const value::Value& v);

/// Returns the name of a value's type in Go; "" for nil.
std::string go_type(const value::Value& v);

}  // namespace chartwright::suite
