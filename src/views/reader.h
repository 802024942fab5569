// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kube/client.h"
#include "kube/label_selector.h"
#include "value/value.h"
#include "views/feed.h"
#include "views/field_selector.h"
#include "views/projector.h"
#include "views/work.h"

namespace chartwright::views {

/// The parameters of a list.
struct ListQuery {
  std::string ns;  ///< "": all namespaces, or a cluster-scoped view.
  kube::LabelSelector labels;
  FieldSelector fields;
  std::string resource_version;  ///< "": the most recent state; "0": any.
  bool exact_version = false;    ///< resourceVersionMatch=Exact
  int64_t limit = 0;
  std::string continue_token;

  bool selects(const value::Value& object) const {
    return labels.matches(object) && fields.matches(object);
  }
};

struct ObjectPage {
  std::vector<Shown> items;
  std::string resource_version;
  std::string continue_token;
};

/// An object of a view and its source.
struct Found {
  value::Value source;
  value::Value object;
};

/// Reads the objects of one view: consistently from the API server, page by page as the server
/// lists the sources, or from the feed where the request accepts any state. Where the feed has the
/// version of a source that the server lists, its object is shared, not made again. Blocks.
/// Thread-safe. Additional errors: those of Work::check.
class Reader {
 public:
  /// The references must outlive the reader. `client` may be null for an inline source.
  Reader(const Projector& projector, const Feed& feed, kube::Client* client)
      : projector_(projector), feed_(feed), client_(client) {}

  /// Errors: 400 for a bad continue token, 410, and those of source_failure.
  base::Result<ObjectPage> list(const ListQuery& query, Work& work) const;
  /// Returns the newest state. A name that the feed does not know may be that of an object made a
  /// moment ago: then the source that would have it by the feed's NameRule is asked for, or,
  /// without a rule, all sources. Errors: 404, and those of source_failure.
  base::Result<Found> get(std::string_view ns, std::string_view name, Work& work) const;

 private:
  base::Result<ObjectPage> list_feed(const ListQuery& query) const;
  base::Result<ObjectPage> list_source(const ListQuery& query, Work& work) const;
  base::Result<kube::ListPage> source_page(kube::ListOptions& options, Work& work) const;
  base::Status add_page(const ListQuery& query, std::vector<value::Value> sources, Work& work,
                        ObjectPage& page) const;
  base::Result<Found> get_indexed(const kube::ObjectRef& source, std::string_view name,
                                  Work& work) const;
  base::Result<Found> search(kube::Selection among, std::string_view name, Work& work) const;
  base::Result<Found> get_from_feed(std::string_view ns, std::string_view name) const;
  base::Result<Shown> show(const value::Value& source) const;
  base::Error not_found(std::string_view name) const;

  const Projector& projector_;
  const Feed& feed_;
  kube::Client* client_;
};

}  // namespace chartwright::views
