// All tests of this program see a locale with UTF-8: whether there is one is asked only once.

#include <clocale>

namespace gp {
namespace {

[[maybe_unused]] const char* const kLocale = std::setlocale(LC_CTYPE, "C.UTF-8");

}  // namespace
}  // namespace gp
