#pragma once

// How far long work has come: one line on a terminal, written again in place a few times a second
// and gone at the end.  Work that is done at once shows nothing.

#include <cstdint>
#include <functional>
#include <string>

namespace gp {

class Progress {
 public:
  struct Terminal {
    std::function<int64_t()> now_ns;                     // never goes back
    std::function<void(const std::string& text)> write;  // empty: nothing is shown
  };

  explicit Progress(Terminal terminal);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Work of its own begins: what is left is told from its pace.
  void Begin(std::string what);
  // `done` is from 0 to 1; `detail` is asked only where it is shown.
  void Show(double done, const std::function<std::string()>& detail);
  void Clear();

 private:
  std::string Line(double done, const std::string& detail, int64_t now_ns) const;

  Terminal terminal_;
  std::string what_;
  int64_t begun_ns_ = 0;  // of all
  int64_t began_ns_ = 0;  // this work
  int64_t shown_ns_ = 0;
  bool is_shown_ = false;
};

}  // namespace gp
