#pragma once

#include <string>
#include <string_view>

namespace gp {

// Puts a prefix before each line of a stream that arrives in pieces.
class PrefixedLines {
 public:
  explicit PrefixedLines(std::string prefix) : prefix_(std::move(prefix)) {}

  // The lines that these bytes complete.
  std::string Take(std::string_view bytes);
  // The last line, if it was not completed.
  std::string Rest();

 private:
  std::string prefix_;
  std::string begun_;
};

}  // namespace gp
