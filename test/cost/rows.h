// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tmpl/function.h"
#include "value/value.h"

namespace chartwright::cost {

/// A way in which an argument can grow.
struct Shape {
  std::string name;
  value::Value (*make)(size_t bytes);  ///< Returns a value of about `bytes` bytes.
};

/// One function with one argument that grows.
struct Row {
  std::string function;
  size_t argument;  ///< Counted from 0.
  Shape shape;
  std::string text;                 ///< The template; its arguments are .a0, .a1, ...
  std::vector<value::Value> small;  ///< All arguments at their small size.
};

/// Returns a row for every function, every argument of it that can grow, and every shape of that
/// argument. The functions are those of Helm 4.3 (a superset of the others), including the built-in
/// functions of templates. Methods are included; their first argument is the receiver.
std::vector<Row> all_rows();

/// Returns the functions and methods that have an argument that can grow but no row. There must not
/// be any.
std::vector<std::string> without_rows(const std::vector<Row>& rows);

/// Returns `part` repeated until the string has at least `bytes` bytes.
std::string repeated(std::string_view part, size_t bytes);

/// Returns all functions, including the built-in ones.
std::shared_ptr<const tmpl::FunctionMap> all_functions();

}  // namespace chartwright::cost
