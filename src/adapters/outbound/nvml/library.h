#pragma once

#include <memory>
#include <string>

#include "adapters/outbound/nvml/functions.h"
#include "base/result.h"

namespace gp {

// NVIDIA's management library, opened and initialised; the destructor closes it.  Its users share
// it, because an event waiter may outlive the driver object that opened it.  Any thread may call.
class NvmlLibrary {
 public:
  // `path` is passed to dlopen: a soname is searched for, a path with a slash is not.  Errors say
  // how to fix them: kUnavailable (no library, no driver), kUnsupported (too old, or not NVML).
  static Result<std::shared_ptr<const NvmlLibrary>> Open(const std::string& path);

  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  const NvmlFunctions& functions() const { return functions_; }
  // NVML's text for an error code: "Driver Not Loaded".
  std::string Explain(nvmlReturn_t result) const;

 private:
  NvmlLibrary() = default;
  Status Load(const std::string& path);
  Status LookUp(const std::string& path);
  Status Initialise(const std::string& path);

  void* handle_ = nullptr;
  bool initialised_ = false;
  NvmlFunctions functions_;
};

}  // namespace gp
