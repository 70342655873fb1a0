#pragma once

// The option `--expires` of commands that issue a secret.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "base/text.h"

namespace gp {

// Sets `life_ms` of the request, at least a second.  `meaning`: with the default and the most.
template <typename Request>
void AddLifetime(CLI::App& sub, std::shared_ptr<Request> request, const std::string& meaning) {
  sub.add_option_function<std::string>(
         "--expires",
         [request](const std::string& text) {
           const auto life = ParseDuration(text);
           if (!life) throw CLI::ValidationError("--expires", life.error().message);
           if (*life < Duration::Seconds(1)) throw CLI::ValidationError("--expires", "at least 1s");
           request->set_life_ms(life->ns / 1'000'000);
         },
         meaning)
      ->type_name("DURATION");
}

}  // namespace gp
