#include "cmd/connection/address_list.h"

#include <algorithm>

#include "base/text.h"
#include "cmd/settings/text_faults.h"

namespace gp {
namespace {

std::vector<std::string> PartsOf(const std::string& list) {
  std::vector<std::string> parts = Split(list, ',');
  for (std::string& part : parts) {
    part.erase(0, std::min(part.find_first_not_of(' '), part.size()));
    part.erase(part.find_last_not_of(' ') + 1);
  }
  return parts;
}

}  // namespace

Result<std::vector<std::string>> ParseAddressList(const std::string& text) {
  std::vector<std::string> addresses = PartsOf(text);
  for (const std::string& address : addresses) {
    if (address.empty())
      return Fail(InvalidArgument("\"" + Printable(text, 60) +
                                  "\" has an empty address: write HOST:PORT,HOST:PORT"));
    if (const auto fault = FullAddressFault(address)) return Fail(InvalidArgument(*fault));
  }
  GP_CHECK_OK(CheckControllers(addresses));
  return addresses;
}

Status CheckControllers(const std::vector<std::string>& addresses) {
  if (addresses.size() > kControllersMax)
    return Fail(InvalidArgument("at most " + std::to_string(kControllersMax) +
                                " addresses of controllers, not " +
                                std::to_string(addresses.size())));
  for (auto it = addresses.begin(); it != addresses.end(); ++it) {
    if (std::find(addresses.begin(), it, *it) != it)
      return Fail(InvalidArgument("\"" + Printable(*it, 60) + "\" is there twice"));
  }
  return Ok();
}

bool IsWithin(const std::string& list, const std::string& other) {
  const std::vector<std::string> all = PartsOf(other);
  return std::ranges::all_of(PartsOf(list), [&](const std::string& address) {
    return std::ranges::find(all, address) != all.end();
  });
}

}  // namespace gp
