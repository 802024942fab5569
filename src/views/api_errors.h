// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "value/value.h"
#include "views/view.h"

// The errors of a served API. Each has the HTTP status and the reason of a metav1.Status.
namespace chartwright::views {

base::Error bad_request(std::string message);                                   ///< 400
base::Error unauthorized(std::string message);                                  ///< 401
base::Error forbidden(std::string message);                                     ///< 403
base::Error path_not_found();                                                   ///< 404
base::Error object_not_found(const Resource& resource, std::string_view name);  ///< 404
base::Error method_not_allowed();                                               ///< 405
base::Error not_acceptable(std::string message);                                ///< 406
base::Error already_exists(const Resource& resource, std::string_view name);    ///< 409
base::Error conflict(const Resource& resource, std::string_view name,
                     std::string message);                ///< 409
base::Error expired(std::string message);                 ///< 410
base::Error too_large();                                  ///< 413
base::Error unsupported_media_type(std::string message);  ///< 415
base::Error invalid_object(const Resource& resource, std::string_view name,
                           std::vector<base::ErrorCause> causes);  ///< 422
base::Error too_many_requests(std::string message);                ///< 429
base::Error internal_error(const std::string& message);            ///< 500
base::Error too_much(const std::string& limit);                    ///< 500
base::Error unavailable(std::string message);                      ///< 503

/// Converts an error about the source of a view to what the caller of the view is told. The caller
/// did not ask for the source and has no part in our rights to it, so refusals are a fault of the
/// server: 500, or 503 if it may pass. 410, 429 and 504 keep their meaning.
base::Error source_failure(const View& view, const base::Error& error);

/// Returns the metav1.Status of an error; `view` and `name` describe the object, if any.
value::Value status_of(const base::Error& error, const View* view = nullptr,
                       std::string_view name = "");
/// Returns the HTTP status of an error.
int code_of(const base::Error& error);

}  // namespace chartwright::views
