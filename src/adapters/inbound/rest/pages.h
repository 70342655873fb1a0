#pragma once

// The dashboard's files (web/), embedded in the program.  They contain no secrets, so they need no
// token; the pages read their data with the user's own token.

#include <string_view>

namespace gp {

struct Page {
  std::string_view path;  // "/app.js"
  std::string_view content_type;
  std::string_view text;
};

// nullptr: no page has that path.
const Page* PageAt(std::string_view path);

// The Content-Security-Policy of these pages: no content from other sites, and no site may embed
// them.
inline constexpr std::string_view kPagePolicy =
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src "
    "'none'";

}  // namespace gp
