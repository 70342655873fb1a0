#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace gp {

// Remembers the memory of main's arguments, which the kernel shows as the process title.
void KeepTitle(char* title, size_t size);

// Sets what `ps` shows of this process, shortened to the available memory.
// Allocates nothing: a process that was just forked would copy the pages of the heap.
void SetTitle(std::initializer_list<std::string_view> words);

}  // namespace gp
