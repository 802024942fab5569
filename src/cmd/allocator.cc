// SPDX-License-Identifier: Apache-2.0

// jemalloc reads its settings from a variable of this name. There is one arena because each further
// one keeps half-empty pages of its own, and a few workers rarely contend for it. Decayed pages go
// back to the system at once, not only when it runs short of memory, so that resident memory is
// memory in use. Caches of threads are small, because there are some twenty threads and most of
// them sleep: with the usual sizes they hold 4 MB, more than all objects of an idle operator.
// Source: jemalloc(3), TUNING.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf =
    "narenas:1,muzzy_decay_ms:0,tcache_nslots_small_min:4,tcache_nslots_small_max:16,"
    "tcache_nslots_large:2";
}
