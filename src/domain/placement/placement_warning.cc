#include "domain/placement/placement_warning.h"

namespace gp {
namespace {

constexpr std::string_view kBegin = "; warning: ";

}  // namespace

std::string WarningText(std::string_view warning) {
  return std::string(kBegin) + std::string(warning);
}

std::string_view WarningIn(std::string_view note) {
  const size_t at = note.rfind(kBegin);
  return at == std::string_view::npos ? "" : note.substr(at + kBegin.size());
}

}  // namespace gp
