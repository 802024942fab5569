// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "helm/funcs/caches.h"
#include "host/host.h"
#include "value/value.h"
#include "views/view.h"

namespace chartwright::views {

/// Converts the sources of one view to objects of the view and, if the view has a store, back.
/// Thread-safe.
class Projector {
 public:
  /// Both must outlive the projector.
  Projector(const View& view, const base::Clock& clock)
      : view_(view), clock_(clock), host_(clock) {}

  const View& view() const { return view_; }
  /// Returns the object of the view that shows `source`, with complete metadata; nil if the
  /// template writes nothing, so that the source is not shown. The template may write into
  /// `source`. Errors: kTemplate, kParse, kBudget, kInvalidArgument, which name the view and the
  /// source, and never quote the data of a Secret.
  base::Result<value::Value> project(value::Value source) const;
  /// Returns the object that stores `object`. `source` is its stored state, nil for a new one.
  /// Errors: as project.
  base::Result<value::Value> backing(const value::Value& object, const value::Value& source) const;

 private:
  base::Result<value::Value> render(std::string_view name, const value::Value& data) const;
  base::Result<value::Value> shown(const value::Value& source) const;
  base::Error located(base::Error error, std::string_view name, const value::Value& source) const;

  const View& view_;
  const base::Clock& clock_;
  mutable host::SystemHost
      host_;  ///< Stateless; not all hosts are, so its functions are not const.
  mutable helm::funcs::Caches caches_;
};

/// Returns the uid of the object of `resource` that shows the source with `uid`: always the same,
/// and never `uid` itself, because the garbage collector takes objects of one uid for one object.
std::string view_uid(const Resource& resource, std::string_view uid);

}  // namespace chartwright::views
