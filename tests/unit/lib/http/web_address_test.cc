#include "lib/http/web_address.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

std::string TextOf(const WebAddress& address) {
  return (address.is_encrypted ? "https://" : "http://") + address.host + ":" + address.port +
         address.target;
}

TEST(ResolveLocation, IsRelativeToTheRequest) {
  const WebAddress base = *ParseWebAddress("https://h:8443/a/b?x=1");
  for (const auto& [location, expected] : std::vector<std::pair<std::string, std::string>>{
           {"http://other/p?q#r", "http://other:80/p?q"},
           {"//other:1/p", "https://other:1/p"},
           {"/p/../q", "https://h:8443/p/../q"},
           {"?y=2", "https://h:8443/a/b?y=2"},
           {"#part", "https://h:8443/a/b?x=1"},
           {"c?u=http://x/y", "https://h:8443/a/c?u=http://x/y"},
           {"./c/", "https://h:8443/a/c/"},
           {"../c/./d?../e", "https://h:8443/c/d?../e"},
           {"../../../c", "https://h:8443/c"},
           {"..", "https://h:8443/"}}) {
    const auto found = ResolveLocation(base, location);
    ASSERT_TRUE(found) << location << ": " << found.error().message;
    EXPECT_EQ(TextOf(*found), expected) << location;
  }
  EXPECT_EQ(TextOf(*ResolveLocation(*ParseWebAddress("http://[::1]:81/"), "/x")),
            "http://[::1]:81/x");
}

TEST(ResolveLocation, OnlyAddressesOfHttp) {
  const WebAddress base = *ParseWebAddress("https://h/a");
  for (const char* location : {"", "ftp://h/", "file:///etc/passwd", "HTTP:/x", "javascript:x",
                               "https://user:word@h/", "//", "/a b", "/a\r\nx: y", "http://h:0/"})
    EXPECT_EQ(ResolveLocation(base, location).error().code, ErrorCode::kInvalidArgument)
        << location;
  const std::string origin = "https://h:443/";
  EXPECT_TRUE(ResolveLocation(base, "/" + std::string(8'000 - origin.size(), 'x')));
  EXPECT_FALSE(ResolveLocation(base, "/" + std::string(8'001 - origin.size(), 'x')));
}

TEST(HostAndPort, NamesThePortWhereItIsUnusual) {
  EXPECT_EQ(HostAndPort(*ParseWebAddress("https://h/")), "h");
  EXPECT_EQ(HostAndPort(*ParseWebAddress("https://h:80/")), "h:80");
  EXPECT_EQ(HostAndPort(*ParseWebAddress("http://[::1]:81/")), "[::1]:81");
  EXPECT_EQ(BareHost(*ParseWebAddress("http://[::1]:81/")), "::1");
}

TEST(HaveOneOrigin, ComparesSchemeHostAndPort) {
  const WebAddress one = *ParseWebAddress("https://h.example/a");
  EXPECT_TRUE(HaveOneOrigin(one, *ParseWebAddress("https://H.example:443/b")));
  EXPECT_FALSE(HaveOneOrigin(one, *ParseWebAddress("https://h.example:444/a")));
  EXPECT_FALSE(HaveOneOrigin(one, *ParseWebAddress("http://h.example:443/a")));
  EXPECT_FALSE(HaveOneOrigin(one, *ParseWebAddress("https://x.h.example/a")));
}

}  // namespace
}  // namespace gp
