#include "adapters/inbound/rest/pages.h"

#include <algorithm>
#include <iterator>

// Embeds files through the assembler, which works with both compilers.
#define GP_CARRY(name, file)                                    \
  asm(".pushsection .rodata\n"                                  \
      ".global gp_page_" name "_begin, gp_page_" name           \
      "_end\n"                                                  \
      "gp_page_" name "_begin:\n.incbin \"" GP_WEB_DIR "/" file \
      "\"\n"                                                    \
      "gp_page_" name "_end:\n.byte 0\n.popsection\n")

GP_CARRY("html", "index.html");
GP_CARRY("js", "app.js");
GP_CARRY("css", "app.css");
GP_CARRY("docs", "docs.js");
GP_CARRY("icon", "icon.svg");

extern "C" {
extern const char gp_page_html_begin[], gp_page_html_end[];
extern const char gp_page_js_begin[], gp_page_js_end[];
extern const char gp_page_css_begin[], gp_page_css_end[];
extern const char gp_page_docs_begin[], gp_page_docs_end[];
extern const char gp_page_icon_begin[], gp_page_icon_end[];
}

namespace gp {

const Page* PageAt(std::string_view path) {
  static const Page kPages[] = {
      {"/", "text/html; charset=utf-8", {gp_page_html_begin, gp_page_html_end}},
      {"/app.js", "text/javascript; charset=utf-8", {gp_page_js_begin, gp_page_js_end}},
      {"/app.css", "text/css; charset=utf-8", {gp_page_css_begin, gp_page_css_end}},
      {"/docs.js", "text/javascript; charset=utf-8", {gp_page_docs_begin, gp_page_docs_end}},
      {"/icon.svg", "image/svg+xml", {gp_page_icon_begin, gp_page_icon_end}},
  };
  const Page* page = std::ranges::find(kPages, path, &Page::path);
  return page == std::end(kPages) ? nullptr : page;
}

}  // namespace gp
