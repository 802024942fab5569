// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "kube/client.h"
#include "value/value.h"
#include "views/projector.h"
#include "views/reader.h"
#include "views/work.h"

namespace chartwright::views {

/// The options of a write request, passed on to the write of the stored object.
struct WriteRequest {
  std::string ns;
  std::string name;
  std::string field_manager;
  kube::DryRun dry_run = kube::DryRun::kOff;
};

struct DeleteRequest {
  std::string ns;
  std::string name;
  std::string uid;               ///< Precondition on the object of the view; none if empty.
  std::string resource_version;  ///< Precondition; none if empty.
  kube::Propagation propagation = kube::Propagation::kDefault;
  kube::DryRun dry_run = kube::DryRun::kOff;
};

/// Returns the new state of an object. Errors become those of the request.
using Edit = std::function<base::Result<value::Value>(const value::Value& object, Work& work)>;

/// Writes objects of a view by writing the objects that store them. Blocks. Thread-safe. Additional
/// errors before anything is written: those of Work::check.
class Writer {
 public:
  /// The references must outlive the writer.
  Writer(const Projector& projector, const Reader& reader, kube::Client& client)
      : projector_(projector), reader_(reader), client_(client) {}

  /// Returns the object as stored. Errors: 409; 422 for one that the view would not show; those of
  /// storing it.
  base::Result<value::Value> create(value::Value object, const WriteRequest& request,
                                    Work& work) const;
  /// Replaces an object by what `edit` makes of it. If the result has a resourceVersion, only that
  /// version is replaced; otherwise it is tried again on the newest. Errors: 404, 409, 422.
  base::Result<value::Value> update(const Edit& edit, const WriteRequest& request,
                                    Work& work) const;
  /// Returns the object that is deleted. Errors: 404, 409.
  base::Result<value::Value> remove(const DeleteRequest& request, Work& work) const;

 private:
  base::Result<value::Value> update_once(const Found& live, const value::Value& wanted,
                                         const WriteRequest& request, Work& work) const;
  base::Result<value::Value> shown(value::Value stored, std::string_view name) const;
  base::Error failure(const base::Error& error, std::string_view name) const;

  const Projector& projector_;
  const Reader& reader_;
  kube::Client& client_;
};

}  // namespace chartwright::views
