// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace chartwright::base {

/// Releases the resident pages of code and constants that the process has mapped from files. Pages
/// that are used again return from the page cache, at a few microseconds each. Pages that only
/// startup needed (relocation tables, initialisers, symbol names: about 9 MB with libcurl's
/// dependencies) stay released. Call it when a setup phase or a burst of work has ended.
/// Thread-safe. Writable pages are not touched, but breakpoints that a debugger has set in the code
/// are lost with their pages.
void release_file_pages();

/// Releases this thread's unused stack pages below the caller: one deep render touches megabytes
/// that no other render needs. Keeps a quarter of a megabyte, which is what renders usually take.
/// Does nothing if the bounds of the stack are unknown.
void release_unused_stack();

}  // namespace chartwright::base
