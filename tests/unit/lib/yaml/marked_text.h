#pragma once

// Rows of bad input.  "»" in the text stands before the character that the diagnostic must point
// at, and is taken out; every row expects exactly this one diagnostic.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "lib/yaml/diagnostic.h"

namespace gp {

struct BadInput {
  std::string_view text;
  std::string_view code;
  std::string_view fragment;  // of the message
};

struct MarkedText {
  std::string text;
  int line = 1;
  int column = 1;
};

inline MarkedText TakeMark(std::string_view marked) {
  constexpr std::string_view kMark = "»";
  MarkedText result;
  const size_t at = marked.find(kMark);
  if (at == std::string_view::npos) {
    ADD_FAILURE() << "a row without »: " << marked;
    return result;
  }
  for (const char c : marked.substr(0, at)) {
    const bool continues = (static_cast<unsigned char>(c) & 0xc0) == 0x80;
    if (c == '\n') {
      ++result.line;
      result.column = 1;
    } else if (!continues) {
      ++result.column;
    }
  }
  result.text = std::string(marked.substr(0, at)) + std::string(marked.substr(at + kMark.size()));
  return result;
}

// REQUIRES: `marked` is the text of the row.
inline void ExpectOnly(const BadInput& row, const MarkedText& marked,
                       const std::vector<Diagnostic>& diagnostics) {
  ASSERT_EQ(diagnostics.size(), 1u) << RenderDiagnostics(diagnostics);
  const Diagnostic& problem = diagnostics[0];
  EXPECT_EQ(problem.code, row.code) << RenderDiagnostics(diagnostics);
  EXPECT_EQ(problem.line, marked.line) << problem.excerpt;
  EXPECT_EQ(problem.column, marked.column) << problem.excerpt;
  EXPECT_NE(problem.message.find(row.fragment), std::string::npos) << problem.message;
}

}  // namespace gp
