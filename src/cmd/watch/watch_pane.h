#pragma once

// Text in place of the table: the output of a job, an explanation or a description.

#include <string>
#include <vector>

#include "cmd/watch/watch_caller.h"

namespace gp {

// A page of text and the part of it that is on the screen.  The output of a running job is read
// again as long as its end is on the screen.
class WatchPane {
 public:
  WatchPane(std::string title, WatchRequest request);

  // Safe for a terminal, whatever is in it.
  void Fill(const std::string& text);
  // False: the key does not move the text.
  bool OnKey(int key);
  // To the other of standard output and standard error.  REQUIRES: it shows output.
  void TurnStream();

  struct Part {
    std::vector<std::string> lines;
    int first = 0;  // of all
    int all = 0;
  };
  // The lines on a screen of this size, which the keys move by.
  Part Look(int width, int rows);

  std::string Title() const;
  const WatchRequest& request() const { return request_; }
  bool IsLog() const { return request_.what == WatchRequest::What::kReadLog; }
  bool IsFilled() const { return is_filled_; }
  // Whether newer text is wanted.
  bool Follows() const { return IsLog() && at_end_; }

 private:
  std::string title_;
  WatchRequest request_;
  std::vector<std::string> lines_;
  bool is_filled_ = false;
  bool at_end_;
  int top_ = 0;
  int rows_ = 1;  // of the last look
  int top_max_ = 0;
};

}  // namespace gp
