#pragma once

// The host's libarchive, which reads the layers of images.  It is opened at run time: a node where
// it is missing runs all other jobs.

#include <archive.h>
#include <archive_entry.h>

#include "base/result.h"

namespace gp {

struct ArchiveLibrary {
  // What they do is described in archive_read(3), archive_write_disk(3) and archive_entry(3).
  decltype(&::archive_read_new) read_new;
  decltype(&::archive_read_free) read_free;
  decltype(&::archive_read_support_filter_gzip) read_support_filter_gzip;
  decltype(&::archive_read_support_filter_zstd) read_support_filter_zstd;
  decltype(&::archive_read_support_format_raw) read_support_format_raw;
  decltype(&::archive_read_support_format_empty) read_support_format_empty;
  decltype(&::archive_read_support_format_tar) read_support_format_tar;
  decltype(&::archive_read_open) read_open;
  decltype(&::archive_read_next_header) read_next_header;
  decltype(&::archive_read_data_block) read_data_block;
  decltype(&::archive_write_disk_new) write_disk_new;
  decltype(&::archive_write_disk_set_options) write_disk_set_options;
  decltype(&::archive_write_header) write_header;
  decltype(&::archive_write_data_block) write_data_block;
  decltype(&::archive_write_finish_entry) write_finish_entry;
  decltype(&::archive_write_close) write_close;
  decltype(&::archive_write_free) write_free;
  decltype(&::archive_errno) errno_of;
  decltype(&::archive_error_string) error_string;
  decltype(&::archive_set_error) set_error;
  decltype(&::archive_entry_pathname) entry_pathname;
  decltype(&::archive_entry_set_pathname) entry_set_pathname;
  decltype(&::archive_entry_hardlink) entry_hardlink;
  decltype(&::archive_entry_set_hardlink) entry_set_hardlink;
  decltype(&::archive_entry_symlink) entry_symlink;
  decltype(&::archive_entry_filetype) entry_filetype;
  decltype(&::archive_entry_perm) entry_perm;
  decltype(&::archive_entry_set_perm) entry_set_perm;
  decltype(&::archive_entry_size) entry_size;
  decltype(&::archive_entry_xattr_reset) entry_xattr_reset;
  decltype(&::archive_entry_xattr_next) entry_xattr_next;
  decltype(&::archive_entry_xattr_clear) entry_xattr_clear;
  decltype(&::archive_entry_xattr_add_entry) entry_xattr_add_entry;
};

// Opened once, and never closed.  kUnsupported: the host has none, or an older one.
Result<const ArchiveLibrary*> OpenArchiveLibrary();

}  // namespace gp
