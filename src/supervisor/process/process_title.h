#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gp {

// Remembers the memory of main's arguments, which the kernel shows as the process title.
void KeepTitle(char* title, size_t size);

// Sets what `ps` shows of this process, shortened to the available memory.
void SetTitle(const std::vector<std::string>& words);

}  // namespace gp
