// SPDX-License-Identifier: Apache-2.0

// jemalloc reads its settings from a variable of this name. One arena, for each further one keeps
// half-empty pages of its own, and a few workers seldom wait for each other in it. Free pages go
// back to the system at once when their time has come, not when the system runs short: what is
// resident is what is used. Source: jemalloc(3), TUNING.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "narenas:1,muzzy_decay_ms:0";
}
