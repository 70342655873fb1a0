#include "cmd/text/span_flag.h"

#include "base/text.h"

namespace gp {

void AddSpan(CLI::App& sub, const std::string& flag, Duration& span, const std::string& help,
             const std::string& by_default) {
  sub.add_option_function<std::string>(
         flag,
         [&span, flag](const std::string& text) {
           const auto parsed = ParseDuration(text);
           if (!parsed) throw CLI::ValidationError(flag, parsed.error().message);
           span = *parsed;
         },
         help)
      ->type_name("DURATION")
      ->default_str(by_default);
}

}  // namespace gp
