// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "subject/records.h"
#include "subject/render_queue.h"

namespace chartwright::op {

/// Returns the template that wrote an object of a stored manifest, as its "# Source:" names it; ""
/// if that is not known.
std::string template_of(const value::Value& object, const std::string& manifest);

/// Finds where the templates of the chart write what was left out of objects. Blocks.
class TemplatePlaces {
 public:
  /// All must outlive it.
  TemplatePlaces(const Subject& subject, const Inputs& inputs, RenderQueue& renders,
                 Records& records, release::Inventory& inventory)
      : subject_(subject),
        inputs_(inputs),
        renders_(renders),
        records_(records),
        inventory_(inventory) {}

  /// Names in the inventory where each part that was left out is written: the line of the template,
  /// from another render of the chart, or else the template, from the record of the revision in
  /// force. Parts that are not found have no place. Does nothing if nothing was left out.
  void name();

 private:
  using Lines = std::function<std::string(const value::Path& field)>;
  void name_in(std::string_view document, const std::string& path, const Lines& line_of);
  void name_by_record();

  const Subject& subject_;
  const Inputs& inputs_;
  RenderQueue& renders_;
  Records& records_;
  release::Inventory& inventory_;
  std::set<kube::ObjectRef> open_;  ///< The objects whose document has not been found.
};

}  // namespace chartwright::op
