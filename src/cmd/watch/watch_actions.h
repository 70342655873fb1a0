#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "cmd/watch/watch_caller.h"
#include "cmd/watch/watch_intent.h"
#include "cmd/watch/watch_pane.h"

namespace gp {

// What `watch` does besides showing: a key makes a question, y makes a request of it, and its
// answer becomes a line at the foot; reading keys open a page. It knows no screen and no clock, and
// it never waits.
class WatchActions {
 public:
  // `interval`: after which the output of a job on the screen is read again.
  WatchActions(WatchCaller& caller, Duration interval) : caller_(caller), interval_(interval) {}

  // `row`: under the cursor; null: there is none.  False: the key means nothing here.
  bool OnKey(int key, const WatchRow* row, const WatchData* data);
  // Takes answers and asks for newer output.  True: what is on the screen has changed.
  bool Update(int64_t now_ns);
  // Whether the controller has changed something since the last call.
  bool TakeChange();

  // The line at the foot: a question, what is under way, or an outcome; empty: nothing.
  std::string Foot() const;
  WatchLevel FootLevel() const;
  bool IsAsking() const { return question_.has_value(); }
  // Null: the table is on the screen.
  WatchPane* pane() { return pane_ ? &*pane_ : nullptr; }
  const WatchPane* pane() const { return pane_ ? &*pane_ : nullptr; }
  // Columns that the next page may have.
  void SetWidth(int width) { width_ = width; }

 private:
  struct Note {
    std::string text;
    WatchLevel level = WatchLevel::kPlain;
    bool is_of_page = false;  // goes with the next text of the page
  };

  bool OnPaneKey(int key);
  void OnAnswerKey(int key);
  void Begin(const WatchIntent& intent);
  void OpenPane(const WatchIntent& intent);
  void OnAnswer(const WatchAnswer& answer, int64_t now_ns);
  void OnPage(const WatchAnswer& answer, int64_t now_ns);

  WatchCaller& caller_;
  const Duration interval_;
  int width_ = 0;
  std::optional<WatchIntent> question_;
  std::string under_way_;  // the change that the controller has not answered yet
  Note note_;
  bool has_changed_ = false;
  std::optional<WatchPane> pane_;
  bool is_reading_ = false;
  int64_t read_at_ns_ = 0;  // when newer output is asked for
};

}  // namespace gp
