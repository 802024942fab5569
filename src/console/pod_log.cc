// SPDX-License-Identifier: Apache-2.0
#include "console/pod_log.h"

#include <utility>

#include "kube/api_status.h"

namespace chartwright::cmd {

base::Result<std::string> read_log(const kube::ObjectRef& pod, const LogQuery& query,
                                   Connection& connection) {
  kube::Request request;
  request.target = log_target(pod, query);
  request.accept = "*/*";
  request.max_response_bytes = static_cast<size_t>(2 * query.bytes);
  CW_TRY(kube::Response response,
         connection.transport().perform(std::move(request), connection.call()));
  if (response.status != 200) {
    return kube::error_from_response({"get the log of", pod}, response);
  }
  if (!response.body.empty() && !response.body.ends_with('\n')) {
    response.body += '\n';
  }
  return std::move(response.body);
}

}  // namespace chartwright::cmd
