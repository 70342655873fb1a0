#include "supervisor/process/process_title.h"

#include <sys/prctl.h>

#include <algorithm>
#include <cstring>

namespace gp {
namespace {

char* kept_title = nullptr;
size_t kept_size = 0;

}  // namespace

void KeepTitle(char* title, size_t size) {
  kept_title = title;
  kept_size = size;
}

void SetTitle(std::initializer_list<std::string_view> words) {
  if (kept_title == nullptr) return;
  std::memset(kept_title, 0, kept_size);
  size_t size = 0;
  for (const std::string_view word : words) {
    const size_t fits = std::min(word.size(), kept_size - size);
    std::memcpy(kept_title + size, word.data(), fits);
    size = std::min(size + fits + 1, kept_size);  // each word ends with a zero
  }
  const auto end = reinterpret_cast<unsigned long>(kept_title + size);
  prctl(PR_SET_MM, PR_SET_MM_ARG_END, end, 0, 0);  // root only; else zeros follow the words
}

}  // namespace gp
