// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tmpl/function.h"
#include "value/value.h"

namespace chartwright::cost {

/// A way in which an argument grows.
struct Shape {
  std::string name;
  value::Value (*make)(size_t bytes);  ///< Of about so many bytes.
};

/// One function with one argument that grows.
struct Row {
  std::string function;
  size_t argument;  ///< Counted from 0.
  Shape shape;
  std::string text;                 ///< The template: its arguments are .a0, .a1, ...
  std::vector<value::Value> small;  ///< All arguments, as they are where they do not grow.
};

/// A row for every function of Helm 4.3 (which has those of the others), built-in functions of
/// templates included, every argument that can grow, and every way in which it can; and for every
/// method, whose first argument is its receiver.
std::vector<Row> all_rows();

/// The functions and methods that take what can grow and have no row, of which there must be none.
std::vector<std::string> without_rows(const std::vector<Row>& rows);

/// `part` as often as makes so many bytes.
std::string repeated(std::string_view part, size_t bytes);

/// Every function, built-in ones included.
std::shared_ptr<const tmpl::FunctionMap> all_functions();

}  // namespace chartwright::cost
