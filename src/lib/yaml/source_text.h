#pragma once

// A source text (a file or the argument of an option) and places in it.  Lines and
// columns count from 1, columns in characters, as editors show them.

#include <string>
#include <string_view>

namespace gp {

struct SourceText {
  std::string name;  // "train.gpu.yaml", or the option: "--set"
  std::string text;
  bool is_argument = false;  // then messages show no line number

  // A line without its line end; empty: there is no such line.
  std::string_view Line(int line) const;
};

struct Place {
  const SourceText* source = nullptr;
  int line = 1;
  int column = 1;
  int length = 1;  // in characters, for the caret; 0: to the end of the line
};

// The place `offset` bytes into the text.
Place PlaceAt(const SourceText& source, size_t offset, int length = 1);

// The line of the place with ^^^^ under it, made safe for a terminal and cut to a screen's width:
//    7 |   gpuz: 8
//      |   ^^^^
std::string Excerpt(const Place& place);

}  // namespace gp
