#pragma once

// Questions about one GPU.  An inquiry passes the handle along, keeps account of what the driver
// could not tell and notices when the GPU is lost: from then on it asks nothing more, for every
// further question to a lost GPU can take seconds.

#include <string>
#include <vector>

#include "adapters/outbound/nvml/library.h"

namespace gp {

// Findings in the order in which they were made, each once.
class NvmlWarnings {
 public:
  void Add(std::string text);
  std::vector<std::string> Take() { return std::move(texts_); }

 private:
  std::vector<std::string> texts_;
};

class GpuInquiry {
 public:
  // `warnings` may be null: then nobody wants to know.
  GpuInquiry(const NvmlLibrary& library, int index, nvmlDevice_t device, NvmlWarnings* warnings)
      : nvml(library.functions()),
        library_(library),
        index_(index),
        device_(device),
        warnings_(warnings) {}

  // True where the driver answered.  "Not supported" is a card's honest answer and no warning.
  template <typename Signature, typename... Args>
  bool Ask(const NvmlFunction<Signature>& function, Args... args) {
    return Note(function.name, Query(function, args...));
  }

  // The bare answer, for questions whose refusal has a meaning.
  template <typename Signature, typename... Args>
  nvmlReturn_t Query(const NvmlFunction<Signature>& function, Args... args) {
    if (lost_) return NVML_ERROR_GPU_IS_LOST;
    const nvmlReturn_t result = function(device_, args...);
    if (result == NVML_ERROR_GPU_IS_LOST) lost_ = true;
    return result;
  }

  // A finding of the caller about this GPU, or about the driver (told once, whatever the GPUs).
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
