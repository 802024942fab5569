// SPDX-License-Identifier: Apache-2.0
#include "test/sim/agreement.h"

#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "kube/http_transport.h"
#include "kubeconfig/config.h"
#include "model/client_transport.h"
#include "model/memory_server.h"
#include "test/sim/requests.h"

namespace chartwright::sim {
namespace {

constexpr size_t kRequests = 30;

const kube::Gvk kMap{"", "v1", "ConfigMap"};
const kube::Gvk kSample{"model.example.com", "v1", "Sample"};

/// A client over HTTP.
struct Connection {
  Connection(std::unique_ptr<kube::Transport> over, base::Clock& clock)
      : transport(std::move(over)), mapper(*transport, clock), client(*transport, mapper, clock) {}
  std::unique_ptr<kube::Transport> transport;
  kube::RestMapper mapper;
  kube::HttpClient client;
};

/// Sends one sequence of requests. Returns the first difference, with the requests that led there.
std::optional<std::string> difference(kube::Client& in_memory, kube::Client& real,
                                      const std::string& ns, uint64_t seed) {
  Side model(in_memory);
  Side server(real);
  std::mt19937_64 random(seed);
  const std::string prefix = "s" + std::to_string(seed) + "-";
  const std::vector<kube::ObjectRef> refs = {
      {kMap, ns, prefix + "a"}, {kMap, ns, prefix + "b"}, {kSample, ns, prefix + "s"}};
  std::string story;
  std::optional<std::string> found;
  for (size_t i = 0; i < kRequests && !found; ++i) {
    const Request request = random_request(random, refs);
    story += to_text(request) + "\n";
    const std::string ours = model.send(request) + "\n  then " + model.look(request.ref);
    const std::string theirs = server.send(request) + "\n  then " + server.look(request.ref);
    if (ours != theirs) {
      found = story + "the model:  " + ours + "\nthe server: " + theirs + "\n";
    }
  }
  for (const kube::ObjectRef& ref : refs) {
    model.remove(ref);
    server.remove(ref);
  }
  return found;
}

base::Result<std::unique_ptr<kube::Transport>> connect(const std::string& kubeconfig,
                                                       base::Clock& clock) {
  CW_TRY(const kube::Config config,
         kube::load_config({.path = kubeconfig}, kube::ConfigEnv::from_process()));
  return kube::make_transport(config, clock, {});
}

}  // namespace

base::Result<int> compare_with(const std::string& kubeconfig, const std::string& ns, uint64_t seed,
                               int count) {
  base::SystemClock clock;
  CW_TRY(auto transport, connect(kubeconfig, clock));
  Connection real(std::move(transport), clock);
  model::MemoryServer memory;
  Connection fake(std::make_unique<model::ClientTransport>(
                      memory,
                      std::vector<kube::ResourceMapping>{
                          {.gvk = kMap, .plural = "configmaps"},
                          {.gvk = kSample, .plural = "samples", .has_status = true}}),
                  clock);
  int different = 0;
  for (int i = 0; i < count; ++i) {
    const uint64_t of_sequence = seed + static_cast<uint64_t>(i);
    if (const auto found = difference(fake.client, real.client, ns, of_sequence)) {
      std::cout << "DIFFERENT: " << *found << std::endl;
      ++different;
    }
  }
  std::cout << count << " sequences of " << kRequests << " requests, " << different
            << " different\n";
  return different;
}

}  // namespace chartwright::sim
