#include "adapters/inbound/rest/pages.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(Pages, AreInsideTheProgram) {
  ASSERT_NE(PageAt("/"), nullptr);
  EXPECT_TRUE(PageAt("/")->text.starts_with("<!doctype html>"));
  EXPECT_TRUE(PageAt("/")->content_type.starts_with("text/html"));
  ASSERT_NE(PageAt("/icon.svg"), nullptr);
  EXPECT_TRUE(PageAt("/icon.svg")->text.starts_with("<svg"));
  EXPECT_NE(PageAt("/app.js"), nullptr);
  EXPECT_NE(PageAt("/app.css"), nullptr);
}

TEST(Pages, AreThoseAndNoOthers) {
  for (const char* path :
       {"", "/index.html", "//", "/app.js/", "/../app.js", "/APP.JS", "/app.js%00", "/favicon.ico"})
    EXPECT_EQ(PageAt(path), nullptr) << path;
}

}  // namespace
}  // namespace gp
