#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gp {

// Where the kernel shows a process's arguments; of main.
void KeepTitle(char* title, size_t size);

// What `ps` shows of this process from now on, as far as there is room.
void SetTitle(const std::vector<std::string>& words);

}  // namespace gp
