#pragma once

// The texts of a table of words, for fields that take one of them.

#include <array>
#include <string_view>

#include "domain/model/jobs/job_text.h"

namespace gp {

template <typename Value, size_t kCount>
constexpr std::array<std::string_view, kCount> TextsOf(const Word<Value> (&words)[kCount]) {
  std::array<std::string_view, kCount> texts;
  for (size_t i = 0; i < kCount; ++i) texts[i] = words[i].text;
  return texts;
}

}  // namespace gp
