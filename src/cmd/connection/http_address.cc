#include "cmd/connection/http_address.h"

#include <unistd.h>

#include "infrastructure/paths.h"

namespace gp {
namespace {

std::string FileIn(const std::string& run_directory) { return run_directory + "/http-address"; }

}  // namespace

std::optional<std::string> ReadHttpAddress(const std::string& run_directory) {
  auto text = ReadTextFile(FileIn(run_directory));
  if (!text) return std::nullopt;
  text->erase(text->find_last_not_of('\n') + 1);
  return *text;
}

Status KeepHttpAddress(const std::string& run_directory, const std::string& address) {
  return WriteFileForAll(FileIn(run_directory), address + "\n");
}

void ForgetHttpAddress(const std::string& run_directory) { unlink(FileIn(run_directory).c_str()); }

}  // namespace gp
