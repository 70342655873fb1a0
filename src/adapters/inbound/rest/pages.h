#pragma once

// The dashboard's files, which the program carries with it (web/).  They hold no secret: whoever
// can connect may have them, and what they show they ask for with the reader's own token.

#include <string_view>

namespace gp {

struct Page {
  std::string_view path;  // "/app.js"
  std::string_view content_type;
  std::string_view text;
};

// nullptr: there is none.
const Page* PageAt(std::string_view path);

// What a browser lets these pages do: nothing that comes from elsewhere, and nobody shows them
// inside their own.
inline constexpr std::string_view kPagePolicy =
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src "
    "'none'";

}  // namespace gp
