#pragma once

// The addresses of the controllers of one cluster, as users write them: "c1:7070,c2:7070,c3:7070".

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace gp {

inline constexpr size_t kControllersMax = 16;

// One address or several, each once; blanks around them do not count.  kInvalidArgument: one is no
// HOST:PORT, or is there twice, or there are more than kControllersMax; the message names it.
Result<std::vector<std::string>> ParseAddressList(const std::string& text);
// What of that holds also where an address may be a socket: how many, and each once.
Status CheckControllers(const std::vector<std::string>& addresses);

// Whether all addresses of the list are in the other one, in whatever order.
bool IsWithin(const std::string& list, const std::string& other);

}  // namespace gp
