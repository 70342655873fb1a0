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

void SetTitle(const std::vector<std::string>& words) {
  if (kept_title == nullptr) return;
  std::string text;
  for (const std::string& word : words) text += word + '\0';
  const size_t size = std::min(text.size(), kept_size);
  std::memset(kept_title, 0, kept_size);
  std::memcpy(kept_title, text.data(), size);
  const auto end = reinterpret_cast<unsigned long>(kept_title + size);
  prctl(PR_SET_MM, PR_SET_MM_ARG_END, end, 0, 0);  // root only; else zeros follow the words
}

}  // namespace gp
