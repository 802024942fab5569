// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apiserver/request.h"
#include "apiserver/table.h"
#include "apiserver/watch_stream.h"
#include "base/clock.h"
#include "base/result.h"

namespace chartwright::apiserver {

/// Reads the parameters of a list. Errors: 400 and 422 with what is wrong.
base::Result<views::ListQuery> read_list_query(const Target& target, const std::string& ns);
/// Reads the parameters of a watch. Errors: as read_list_query.
base::Result<WatchQuery> read_watch_query(const Target& target, const std::string& ns);
/// Returns for how long a watch may last.
base::Result<base::Duration> read_watch_timeout(const Target& target);
/// Reads the representation that the request accepts, out of those for lists or single objects.
/// Errors: 400, 406.
base::Result<Rendition> read_rendition(const Target& target, std::string_view accept,
                                       Form metadata_form);

}  // namespace chartwright::apiserver
