// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "yaml/document.h"

namespace chartwright::external {

/// A place that reads the capture of an external.
struct Mention {
  std::string name;
  yaml::DocumentNode place;
  std::string value = {};  ///< ".Values.zone", if it reads what operator/values.yaml makes of it.
};

/// The order in which externals are brought about: each after those that it uses.
class Order {
 public:
  /// Adds an external, named at `place`. Error: kInvalidArgument for a name that is taken.
  base::Status add(const std::string& name, const yaml::DocumentNode& place,
                   const std::vector<Mention>& mentions);
  /// Returns the positions of the externals, in the order of add() where they do not depend on each
  /// other. Errors: kInvalidArgument for an unknown name, with the nearest one, and for a cycle.
  base::Result<std::vector<size_t>> sorted() const;
  /// Returns the names that an external uses, directly or through others. sorted() must have
  /// succeeded.
  std::set<std::string> uses(size_t position) const;

 private:
  struct Entry {
    std::string name;
    yaml::DocumentNode place;
    std::vector<Mention> mentions;
  };
  size_t find(std::string_view name) const;
  base::Status check_names() const;
  base::Error in_circle(const Mention& mention, const std::vector<size_t>& circle) const;
  base::Status visit(size_t position, std::vector<size_t>& path, std::vector<size_t>& done) const;

  std::vector<Entry> entries_;
};

}  // namespace chartwright::external
