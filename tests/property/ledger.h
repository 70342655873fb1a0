#pragma once

// The controller's half of a generated sequence: the real Decide and Apply with the rules checked
// after every command.  Records are kept, to prove at the end that a replay agrees.

#include <string>
#include <vector>

#include "domain/cluster/codec/codec.h"
#include "domain/cluster/command.h"
#include "domain/cluster/state/state.h"

namespace gp {

class Ledger {
 public:
  // What happened; nullptr: refused.  Valid until the next call.
  const std::vector<Event>* Execute(Instant at, Command command, std::string request_id = {});

  // The whole state's rules, and that no deadline was left behind.
  void CheckAll();
  // That every record decodes and is decided again alike, and that both the fold of the records and
  // the decoded snapshot are the state, indexes included.
  void CheckReplay();

  const State& state() const { return state_; }
  const std::vector<Record>& records() const { return records_; }
  const std::string& last_refusal() const { return last_refusal_; }
  // The first rule that broke; empty: none.
  const std::string& broken() const { return broken_; }
  void Break(const std::string& what);

 private:
  void Compare(const State& other, const std::string& bytes, const char* what);

  State state_;
  std::vector<Record> records_;
  std::string last_refusal_;
  std::string broken_;
};

}  // namespace gp
