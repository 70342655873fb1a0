#pragma once

// Who else learns of a command, by its row in command.h.

#include "domain/cluster/command.h"

namespace gp {

enum CommandTrait : unsigned {
  kJournalOnly = 0,  // nobody: it is of a node, the scheduler or the controller itself
  kAudited = 1,      // the audit tells it, in the words of WordsFor (decide_parts.h)
  kRecorded = 2,     // a recorded run contains it and plays it again (simulation/run)
};

// The traits in the command's row.
template <typename C>
inline constexpr unsigned kCommandTraitsOf = [] {
  static_assert(sizeof(C) == 0, "this is no command: it has no row in command.h");
  return kJournalOnly;
}();

#define GP_TRAITS(Name, traits, ...) \
  template <>                        \
  inline constexpr unsigned kCommandTraitsOf<Name> = (traits);
GP_COMMANDS(GP_TRAITS)
#undef GP_TRAITS

}  // namespace gp
