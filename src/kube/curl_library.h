// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include "base/result.h"

namespace chartwright::kube {

/// The functions of libcurl that are used here, each under its name without "curl_". The library is
/// opened when a server is first to be reached, not when the program starts: finding and relocating
/// it and the thirty others that it needs takes more time and memory than all that commands without
/// a cluster do (template, lint).
struct CurlLibrary {
  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_slist_append) slist_append = nullptr;
  decltype(&::curl_slist_free_all) slist_free_all = nullptr;
  decltype(&::curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&::curl_easy_reset) easy_reset = nullptr;
  decltype(&::curl_easy_setopt) easy_setopt = nullptr;
  decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
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

/// Opens and initialises libcurl, once; later calls say how that went. Thread-safe. Error:
/// kInternal when the library is not installed, is too old or cannot be initialised.
base::Status load_curl();

/// The opened library. Only after load_curl() succeeded; aborts otherwise. Thread-safe.
const CurlLibrary& curl();

}  // namespace chartwright::kube
