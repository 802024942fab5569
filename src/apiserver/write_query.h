// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "apiserver/request.h"
#include "base/result.h"
#include "runtime/http_message.h"
#include "views/view.h"
#include "views/view_writer.h"

namespace chartwright::apiserver {

/// The treatment of fields that the schema does not have. Source: metav1.FieldValidation.
enum class FieldPolicy : uint8_t { kIgnore, kWarn, kStrict };

/// Reads dryRun, fieldManager and the address. Errors: 400, 422.
base::Result<views::WriteRequest> read_write_request(const Target& target,
                                                     const ResourcePath& path);
/// Error: 422.
base::Result<FieldPolicy> read_field_policy(const Target& target);
/// Reads the object in the body, JSON or YAML. Errors: 400, 415; those of check_depth for YAML,
/// which has another limit of its own.
base::Result<value::Value> read_object(const runtime::HttpRequest& request, views::Work& work);
/// Reads a patch and returns what it does to an object. Errors: 400, 415; of the edit: 400, 422.
base::Result<views::Edit> read_patch(const runtime::HttpRequest& request, const views::View& view,
                                     const std::string& name);
/// Reads the options of a delete: the body and the query. Errors: 400, 415, 422.
base::Result<views::DeleteRequest> read_delete_request(const runtime::HttpRequest& request,
                                                       const Target& target,
                                                       const ResourcePath& path);
/// Applies the policy to the fields that the schema does not have. Returns them as warnings. Error:
/// 400, which names them.
base::Result<std::vector<std::string>> check_fields(const views::View& view,
                                                    const value::Value& object, FieldPolicy policy);

}  // namespace chartwright::apiserver
