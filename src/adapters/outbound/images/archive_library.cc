#include "adapters/outbound/images/archive_library.h"

#include <dlfcn.h>

#include <string>

namespace gp {
namespace {

constexpr char kLibrary[] = "libarchive.so.13";

class Binder {
 public:
  explicit Binder(void* library) : library_(library) {}

  template <typename Function>
  void Bind(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  const std::string& missing() const { return missing_; }

 private:
  void* const library_;
  std::string missing_;
};

void BindReading(Binder& binder, ArchiveLibrary& to) {
  binder.Bind("archive_read_new", to.read_new);
  binder.Bind("archive_read_free", to.read_free);
  binder.Bind("archive_read_support_filter_gzip", to.read_support_filter_gzip);
  binder.Bind("archive_read_support_filter_zstd", to.read_support_filter_zstd);
  binder.Bind("archive_read_support_format_raw", to.read_support_format_raw);
  binder.Bind("archive_read_support_format_empty", to.read_support_format_empty);
  binder.Bind("archive_read_support_format_tar", to.read_support_format_tar);
  binder.Bind("archive_read_open", to.read_open);
  binder.Bind("archive_read_next_header", to.read_next_header);
  binder.Bind("archive_read_data_block", to.read_data_block);
  binder.Bind("archive_errno", to.errno_of);
  binder.Bind("archive_error_string", to.error_string);
  binder.Bind("archive_set_error", to.set_error);
}

void BindWriting(Binder& binder, ArchiveLibrary& to) {
  binder.Bind("archive_write_disk_new", to.write_disk_new);
  binder.Bind("archive_write_disk_set_options", to.write_disk_set_options);
  binder.Bind("archive_write_header", to.write_header);
  binder.Bind("archive_write_data_block", to.write_data_block);
  binder.Bind("archive_write_finish_entry", to.write_finish_entry);
  binder.Bind("archive_write_close", to.write_close);
  binder.Bind("archive_write_free", to.write_free);
}

void BindEntries(Binder& binder, ArchiveLibrary& to) {
  binder.Bind("archive_entry_pathname", to.entry_pathname);
  binder.Bind("archive_entry_set_pathname", to.entry_set_pathname);
  binder.Bind("archive_entry_hardlink", to.entry_hardlink);
  binder.Bind("archive_entry_set_hardlink", to.entry_set_hardlink);
  binder.Bind("archive_entry_symlink", to.entry_symlink);
  binder.Bind("archive_entry_filetype", to.entry_filetype);
  binder.Bind("archive_entry_perm", to.entry_perm);
  binder.Bind("archive_entry_set_perm", to.entry_set_perm);
  binder.Bind("archive_entry_size", to.entry_size);
  binder.Bind("archive_entry_xattr_reset", to.entry_xattr_reset);
  binder.Bind("archive_entry_xattr_next", to.entry_xattr_next);
  binder.Bind("archive_entry_xattr_clear", to.entry_xattr_clear);
  binder.Bind("archive_entry_xattr_add_entry", to.entry_xattr_add_entry);
}

Result<ArchiveLibrary> Open() {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return Fail(Unsupported(std::string(kLibrary) + " is not there: install libarchive13"));
  ArchiveLibrary opened{};
  Binder binder(library);
  BindReading(binder, opened);
  BindWriting(binder, opened);
  BindEntries(binder, opened);
  if (binder.missing().empty()) return opened;
  return Fail(Unsupported(std::string(kLibrary) + " lacks " + binder.missing()));
}

}  // namespace

Result<const ArchiveLibrary*> OpenArchiveLibrary() {
  static const Result<ArchiveLibrary> library = Open();
  if (library.has_value()) return &*library;
  return Fail(library.error());
}

}  // namespace gp
