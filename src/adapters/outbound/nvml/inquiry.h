#pragma once

// Queries about one GPU.  An inquiry passes the handle to NVML, records what the driver could not
// answer, and detects that the GPU is lost.  It then makes no further calls, because each call to a
// lost GPU can take seconds.

#include <string>
#include <vector>

#include "adapters/outbound/nvml/library.h"

namespace gp {

// Warnings in the order in which they were found, each once.
class NvmlWarnings {
 public:
  void Add(std::string text);
  std::vector<std::string> Take() { return std::move(texts_); }

 private:
  std::vector<std::string> texts_;
};

// The queries about one GPU.  One thread uses it.
class GpuInquiry {
 public:
  // `warnings` may be null: then warnings are dropped.
  GpuInquiry(const NvmlLibrary& library, int index, nvmlDevice_t device, NvmlWarnings* warnings)
      : nvml(library.functions()),
        library_(library),
        index_(index),
        device_(device),
        warnings_(warnings) {}

  // True if the driver answered.  "Not supported" is a normal answer of some cards and gives no
  // warning.
  template <typename Signature, typename... Args>
  bool Ask(const NvmlFunction<Signature>& function, Args... args) {
    return Note(function.name, Query(function, args...));
  }

  // The driver's return code itself, for calls whose refusal has a meaning.
  template <typename Signature, typename... Args>
  nvmlReturn_t Query(const NvmlFunction<Signature>& function, Args... args) {
    if (lost_) return NVML_ERROR_GPU_IS_LOST;
    const nvmlReturn_t result = function(device_, args...);
    if (result == NVML_ERROR_GPU_IS_LOST) lost_ = true;
    return result;
  }

  // Adds a warning about this GPU, or about the driver (reported once for all GPUs).
  void Warn(const std::string& text);
  void WarnOfDriver(const std::string& text);

  int index() const { return index_; }
  bool lost() const { return lost_; }

  const NvmlFunctions& nvml;

 private:
  bool Note(const char* function, nvmlReturn_t result);

  const NvmlLibrary& library_;
  int index_;
  nvmlDevice_t device_;
  NvmlWarnings* warnings_;
  bool lost_ = false;
};

}  // namespace gp
