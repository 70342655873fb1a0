#pragma once

// NVIDIA's management library, opened and initialised; closed by the destructor.  Whoever uses it
// shares it (an event waiter may outlive the driver object that opened it).

#include <memory>
#include <string>

#include "adapters/outbound/nvml/functions.h"
#include "base/result.h"

namespace gp {

class NvmlLibrary {
 public:
  // `path` as dlopen takes it: a soname is searched, a path with a slash is not.  Errors say what
  // would mend them: kUnavailable (no library, no driver), kUnsupported (too old, or no NVML).
  static Result<std::shared_ptr<const NvmlLibrary>> Open(const std::string& path);

  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  const NvmlFunctions& functions() const { return functions_; }
  // The library's own words, "Driver Not Loaded".
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
