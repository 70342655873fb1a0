#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace gp {

// Progress of long work: one line on a terminal, rewritten in place a few times a second and
// removed at the end. Short work shows nothing.
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

  // A separate piece of work begins: the time left is estimated from its pace.
  void Begin(std::string what);
  // `done` is from 0 to 1; `detail` is called only if the line is shown.
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
