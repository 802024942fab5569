// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include "base/result.h"

namespace chartwright::kube {

/// The libcurl functions used here, named without the prefix "curl_". The library is opened on
/// first contact with a server, not at program start: finding and relocating it and its thirty
/// dependencies takes more time and memory than everything that commands without a cluster
/// (template, lint) do.
struct CurlLibrary {
  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_slist_append) slist_append = nullptr;
  decltype(&::curl_slist_free_all) slist_free_all = nullptr;
  decltype(&::curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&::curl_easy_reset) easy_reset = nullptr;
  decltype(&::curl_easy_setopt) easy_setopt = nullptr;
  decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&::curl_easy_pause) easy_pause = nullptr;
  decltype(&::curl_easy_strerror) easy_strerror = nullptr;
  decltype(&::curl_multi_init) multi_init = nullptr;
  decltype(&::curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&::curl_multi_setopt) multi_setopt = nullptr;
  decltype(&::curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&::curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&::curl_multi_perform) multi_perform = nullptr;
  decltype(&::curl_multi_poll) multi_poll = nullptr;
  decltype(&::curl_multi_wakeup) multi_wakeup = nullptr;
  decltype(&::curl_multi_info_read) multi_info_read = nullptr;
};

/// Opens and initialises libcurl. Only the first call does so; later calls return its result.
/// Thread-safe. Error: kInternal when the library is not installed, is too old or cannot be
/// initialised.
base::Status load_curl();

/// Returns the opened library. Aborts unless load_curl() has succeeded. Thread-safe.
const CurlLibrary& curl();

}  // namespace chartwright::kube
