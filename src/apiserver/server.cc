// SPDX-License-Identifier: Apache-2.0
#include "apiserver/server.h"

#include <algorithm>
#include <utility>

#include "apiserver/api.h"
#include "apiserver/serving_certificate.h"
#include "base/machine_memory.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "kube/client.h"
#include "kube/http_transport.h"
#include "runtime/http_server.h"
#include "runtime/informer.h"
#include "runtime/pause.h"
#include "views/api_errors.h"

namespace chartwright::apiserver {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;
using views::internal_error;
using views::ServedView;
using views::too_large;
using views::too_many_requests;
using views::unavailable;
using views::View;

constexpr base::Duration kServerRetry = std::chrono::seconds(1);
constexpr base::Duration kSetupTimeout = std::chrono::seconds(15);
constexpr base::Duration kDrainGrace = std::chrono::seconds(5);
constexpr base::Duration kCheckMax = std::chrono::minutes(30);
constexpr base::Duration kCheckMin = std::chrono::seconds(1);
constexpr base::Duration kRetryAfterError = std::chrono::seconds(2);
constexpr int kChecksOfLifetime = 12;
constexpr int kWorkers = 4;
constexpr size_t kRequestBytesMin = size_t{8} << 20;
constexpr size_t kRequestBytesMax = size_t{512} << 20;

/// Returns the memory that one request may use. All workers together use at most the quarter that
/// renders leave (host::plan_render_memory).
size_t request_bytes_max() {
  return std::clamp(base::usable_memory() / (size_t{4} * kWorkers), kRequestBytesMin,
                    kRequestBytesMax);
}

/// Waits until the API server answers: whether it has the sources is another question. Error:
/// kCancelled.
base::Status await_server(kube::RestMapper& mapper, base::Clock& clock, const base::Logger& log,
                          const std::stop_token& stop) {
  std::string last;
  while (true) {
    base::Status status =
        mapper.refresh(kube::RestMapper::kMinRefresh, {.stop = stop, .timeout = kSetupTimeout});
    if (status.ok()) {
      return status;
    }
    if (stop.stop_requested()) {
      return Error(ErrorCode::kCancelled, "stopped");
    }
    if (status.error().message() != last) {
      last = status.error().message();
      log.error("API server is not reachable, waiting", status.error());
    }
    runtime::pause(clock, kServerRetry, stop);
  }
}

/// Returns the Status of a request that does not get to the API.
runtime::HttpReply refusal(runtime::HttpRefusal why) {
  switch (why) {
    case runtime::HttpRefusal::kTooManyRequests:
      return error_reply(too_many_requests("too many requests, please try again later"));
    case runtime::HttpRefusal::kBodyTooLarge:
      return error_reply(too_large());
    case runtime::HttpRefusal::kEnding:
      return error_reply(unavailable("the server is shutting down"));
    case runtime::HttpRefusal::kFailed:
      break;
  }
  return error_reply(internal_error("the request failed"));
}

/// A connection to the API server.
struct Connection {
  std::unique_ptr<kube::Transport> transport;
  std::unique_ptr<kube::RestMapper> mapper;
  std::unique_ptr<kube::HttpClient> client;
};

base::Result<Connection> connect(const kube::Config& config, base::Clock& clock) {
  Connection connection;
  CW_TRY(connection.transport, kube::make_transport(config, clock));
  connection.mapper = std::make_unique<kube::RestMapper>(*connection.transport, clock);
  connection.client =
      std::make_unique<kube::HttpClient>(*connection.transport, *connection.mapper, clock);
  return connection;
}

class RunningServer final : public Server {
 public:
  RunningServer(const ServeOptions& options, const std::vector<View>& views, Connection connection,
                base::Clock& clock, const base::Logger& log)
      : options_(options),
        views_(views),
        connection_(std::move(connection)),
        clock_(clock),
        log_(log.named("views")),
        access_(*connection_.client, clock, stop_.get_token()),
        certificate_(
            *connection_.client,
            {{"", "v1", "Secret"}, options.service.ns, serving_secret(options.service.name)},
            {dns_names(options.service), options.certificate_lifetime}),
        registration_(views, options.service, *connection_.client, log_),
        informers_(*connection_.client, clock, log_) {}
  ~RunningServer() override;

  base::Status begin();

 private:
  static std::vector<std::string> dns_names(const ServiceRef& service);
  base::Status listen();
  void follow(const kube::Gvk& gvk, const kube::Selection& selection);
  void wake() CW_EXCLUDES(mutex_);
  void keep() CW_EXCLUDES(mutex_);
  base::Status check();
  base::Status trust_aggregator();
  base::Status check_registration();
  bool rest_until(base::MonotonicTime deadline) CW_EXCLUDES(mutex_);
  kube::Call call() const { return {.stop = stop_.get_token(), .timeout = kSetupTimeout}; }

  const ServeOptions options_;
  const std::vector<View>& views_;
  Connection connection_;
  base::Clock& clock_;
  const base::Logger log_;
  std::stop_source stop_;
  FrontProxy front_proxy_;
  AccessReview access_;
  ServingCertificate certificate_;
  Registration registration_;
  std::vector<std::unique_ptr<ServedView>> served_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<runtime::HttpServer> server_;
  FrontProxyConfig trusted_;
  Serving serving_;
  bool identified_ = false;
  bool registered_ = false;
  base::Mutex mutex_;
  base::CondVar changed_;
  bool woken_ CW_GUARDED_BY(mutex_) = false;
  bool ending_ CW_GUARDED_BY(mutex_) = false;
  runtime::InformerSet informers_;
  base::Thread keeper_;
};

std::vector<std::string> RunningServer::dns_names(const ServiceRef& service) {
  const std::string base = service.name + "." + service.ns;
  return {base + ".svc", base + ".svc.cluster.local", base};
}

base::Status RunningServer::listen() {
  ApiParts parts{views_, {},   front_proxy_,      options_.review_access ? &access_ : nullptr,
                 clock_, log_, stop_.get_token(), request_bytes_max()};
  for (const auto& one : served_) {
    parts.served.push_back(one.get());
  }
  api_ = std::make_unique<Api>(std::move(parts));
  runtime::HttpServerOptions server;
  server.address = options_.address;
  server.tls = true;
  server.thread_name = "api";
  server.workers = kWorkers;
  server.worker_stack_bytes = base::kRenderStackBytes;
  server.turn = [this](const runtime::HttpRequest& request) { return api_->turn(request); };
  server.refusal = refusal;
  CW_TRY(server_, runtime::HttpServer::start(server, [this](const runtime::HttpRequest& request) {
           return api_->handle(request);
         }));
  return {};
}

void RunningServer::follow(const kube::Gvk& gvk, const kube::Selection& selection) {
  informers_.get({gvk, selection})->store().add_listener([this](const runtime::Change&) {
    wake();
  });
}

base::Status RunningServer::begin() {
  for (const View& view : views_) {
    served_.push_back(
        std::make_unique<ServedView>(view, *connection_.client, *connection_.mapper, clock_, log_));
    CW_TRY_VOID(served_.back()->start());
  }
  CW_TRY_VOID(listen());
  follow({"", "v1", "ConfigMap"},
         {"kube-system", "", "metadata.name=extension-apiserver-authentication"});
  follow({"", "v1", "Service"},
         {options_.service.ns, "", "metadata.name=" + options_.service.name});
  follow({"apiregistration.k8s.io", "v1", "APIService"},
         {"", "app.kubernetes.io/managed-by=chartwright", ""});
  keeper_ = base::Thread("views", base::kDefaultStackBytes, [this] { keep(); });
  log_.info("Serving views", {{"address", options_.address},
                              {"port", static_cast<int64_t>(server_->port())},
                              {"views", views_.size()}});
  return {};
}

void RunningServer::wake() {
  const base::MutexLock lock(mutex_);
  woken_ = true;
  changed_.notify_all();
}

/// Returns false when the server ends.
bool RunningServer::rest_until(base::MonotonicTime deadline) {
  const base::MutexLock lock(mutex_);
  while (!ending_ && !woken_ && clock_.monotonic() < deadline) {
    clock_.wait_until(changed_, mutex_, deadline);
  }
  woken_ = false;
  return !ending_;
}

void RunningServer::keep() {
  const base::Duration period = std::clamp<base::Duration>(
      options_.certificate_lifetime / kChecksOfLifetime, kCheckMin, kCheckMax);
  std::string last;
  base::Duration next{};
  do {
    const base::Status checked = check();
    next = checked.ok() ? period : kRetryAfterError;
    const std::string problem = checked.ok() ? "" : checked.error().message();
    if (!problem.empty() && problem != last) {
      log_.error("Views are not fully registered, trying again", checked.error());
    }
    last = problem;
  } while (rest_until(base::after(clock_.monotonic(), next)));
}

base::Status RunningServer::trust_aggregator() {
  CW_TRY(
      const Value config_map,
      connection_.client->get(
          {{"", "v1", "ConfigMap"}, "kube-system", "extension-apiserver-authentication"}, call()));
  CW_TRY(FrontProxyConfig config, read_front_proxy(config_map));
  if (config != trusted_) {
    front_proxy_.set(config);
    trusted_ = std::move(config);
    identified_ = false;
  }
  return {};
}

base::Status RunningServer::check_registration() {
  CW_TRY(const bool has_service, registration_.has_service(call()));
  if (has_service) {
    CW_TRY_VOID(registration_.ensure(serving_.authorities, call()));
    registered_ = true;
    return {};
  }
  // Without its Service, an APIService only blocks the deletion of namespaces.
  if (registered_) {
    CW_TRY_VOID(registration_.remove(call()));
    registered_ = false;
  }
  return Error(ErrorCode::kNotFound, "there is no Service " + options_.service.ns + "/" +
                                         options_.service.name +
                                         ": create one that leads to this server");
}

base::Status RunningServer::check() {
  CW_TRY_VOID(trust_aggregator());
  const int64_t now =
      std::chrono::duration_cast<std::chrono::seconds>(clock_.wall().time_since_epoch()).count();
  CW_TRY(Serving serving, certificate_.ensure(now, call()));
  if (!(serving == serving_)) {
    serving_ = std::move(serving);
    identified_ = false;
  }
  if (!identified_) {
    CW_TRY_VOID(server_->identify(serving_.identity, trusted_.authorities));
    identified_ = true;
  }
  return check_registration();
}

RunningServer::~RunningServer() {
  {
    const base::MutexLock lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  keeper_.join();
  informers_.stop();
  // The last chance: a Service that goes at the same time as its server.
  const auto has_service = registered_ ? registration_.has_service(call()) : true;
  if (has_service.ok() && !*has_service) {
    const base::Status removed = registration_.remove(call());
    if (!removed.ok()) {
      log_.error("APIServices remain", removed.error());
    }
  }
  if (server_ != nullptr) {
    server_->drain(kDrainGrace);
  }
  stop_.request_stop();
  server_.reset();
  for (const auto& one : served_) {
    one->stop();
  }
}

}  // namespace

base::Result<std::unique_ptr<Server>> Server::start(const ServeOptions& options,
                                                    const std::vector<View>& views,
                                                    base::Clock& clock, const base::Logger& log,
                                                    const std::stop_token& stop) {
  CW_TRY(Connection connection, connect(options.api_server, clock));
  CW_TRY_VOID(await_server(*connection.mapper, clock, log, stop));
  auto server = std::make_unique<RunningServer>(options, views, std::move(connection), clock, log);
  CW_TRY_VOID(server->begin());
  return std::unique_ptr<Server>(std::move(server));
}

base::Status unregister_views(const ServiceRef& service, const std::vector<View>& views,
                              const kube::Config& config, base::Clock& clock,
                              const base::Logger& log) {
  CW_TRY(const Connection connection, connect(config, clock));
  return Registration(views, service, *connection.client, log.named("views")).remove({});
}

}  // namespace chartwright::apiserver
