// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "helm/analysis/abstract_value.h"
#include "helm/chart/chart.h"
#include "value/value.h"

namespace chartwright::helm::analysis {

/// A kind of values that some uses of a value need: with any other, the template fails.
enum class NeededKind : uint8_t {
  kTable,    ///< A member is read, or a function takes a dict.
  kList,     ///< A function takes a list. `range` takes tables, too, and needs none.
  kText,     ///< A function takes a string, or it is compared with one.
  kBoolean,  ///< A function takes a boolean, or it is compared with one.
};

/// How templates use a key of the values and the keys below it.
struct KeyUsage {
  bool whole = false;        ///< Read together with everything below it.
  bool touched = false;      ///< Tested or iterated over.
  bool as_integer = false;   ///< Given to a function that makes an integer of it, such as `int`.
  bool as_it_is = false;     ///< Read by what takes several kinds, such as printed or copied.
  bool kind_tested = false;  ///< Templates ask for its kind, and so may handle any.
  std::set<NeededKind> needs;
  bool needed_always = false;  ///< One of the needs does not depend on other values.
  std::map<std::string, KeyUsage, std::less<>> below;
};

/// A place in a template that reads a value or one of its members.
struct Access {
  Steps path;
  const tmpl::Tree* tree;
  size_t pos;
};

/// A call of the template function `lookup`. Empty members are not known.
struct LookupCall {
  std::string api_version;
  std::string kind;
  bool lists = false;  ///< The name may be empty: a list.
  AbstractValue ns;
  AbstractValue name;
  const tmpl::Tree* tree = nullptr;
  size_t pos = 0;
};

/// A read of what is known of an object outside the cluster: `.External.NAME`.
struct ExternalRead {
  std::string name;  ///< kEveryStep: it may be any.
  size_t pos = 0;    ///< The action in the outermost template that leads to it.
};

/// The text of one template file.
struct FileOutput {
  const tmpl::Tree* tree;
  size_t scope;  ///< The index of its chart.
  std::shared_ptr<const Output> output;
};

/// A chart of the chart tree, and the place of its values.
struct ScopeOfChart {
  const helm::Chart* chart;
  Steps prefix;
  std::string folder;  ///< "app/charts/sub"
  std::map<std::string, size_t, std::less<>> subcharts;
};

/// Returns the chart and its dependencies, whether enabled or not. Aliases have their own names.
std::vector<ScopeOfChart> scopes_of(const helm::Chart& root);

/// How the templates of a chart and its dependencies use values. It is found by static analysis of
/// the parse trees, without any values. Where a value can no longer be followed, everything below
/// it counts as used.
struct Usage {
  KeyUsage root;                 ///< How the values of the root chart are used.
  std::vector<Access> accesses;  ///< Accesses to values that must exist.
  std::set<Steps> optional;      ///< Values that are tested before use or given a default.
  std::set<Steps> open;          ///< Values to which templates add keys.
  /// The outputs of all files but partials, in the order of the charts.
  std::vector<FileOutput> outputs;
  std::vector<LookupCall> lookups;
  std::vector<ExternalRead> externals;              ///< If they are followed.
  std::map<Steps, std::set<std::string>> compared;  ///< Constants that a value is compared with.
  bool evaluates = false;                           ///< `tpl` is given texts that may be values.
  bool complete = true;  ///< False if some use of a value may be missing: a limit was met.
  bool ended = false;    ///< The analysis ended early: outputs may be missing, too.
  std::vector<tmpl::TreeMap> trees;  ///< The trees that `accesses` point into.
};

/// Returns the values that the values.yaml of the outermost chart that has any gives to `path`:
/// more than one if a step means any key or element.
std::vector<value::Value> defaults_at(const std::vector<ScopeOfChart>& scopes, const Steps& path);

/// The usages of one place in the values: of the key itself, and of any key there.
using KeyUsages = std::vector<const KeyUsage*>;
/// Returns the usages of a member of values that are used so: by its name, and as any member.
KeyUsages usages_of_member(const KeyUsages& usages, const std::string& name);
/// Reports whether templates may use the value at `path`, or a part of it.
bool is_used(const KeyUsage& root, const Steps& path);

/// Returns the usage of a path below `root`, adding it if it is missing.
KeyUsage& usage_at(KeyUsage& root, const Steps& path);
/// Marks `path` and everything below it as read.
void mark_whole(KeyUsage& root, const Steps& path);

}  // namespace chartwright::helm::analysis
