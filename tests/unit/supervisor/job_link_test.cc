#include "supervisor/records/job_link.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

std::string WhyNoLink(const std::string& name, const std::string& url) {
  const Status is_link = CheckLink({name, url});
  return is_link ? "" : is_link.error().message;
}

TEST(JobLink, IsTheAddressOfAWebPage) {
  for (const char* url : {"https://wandb.ai/ana/llama/runs/4f2a?nw=1#x", "http://10.0.0.7:5000",
                          "https://[::1]:80/", "https://a/%20@user"}) {
    EXPECT_EQ(WhyNoLink("wandb", url), "") << url;
  }
}

TEST(JobLink, NothingElseIsOne) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "begins with https://"},
      {"wandb.ai/x", "begins with https://"},
      {"javascript:alert(1)", "begins with https://"},
      {"data:text/html,x", "begins with https://"},
      {"HTTPS://a", "begins with https://"},
      {" https://a", "begins with https://"},
      {"https://", "and a host"},
      {"https:///path", "and a host"},
      {"https://ana:secret@host/", "no user and no password"},
      {"https://a b", "characters of URLs"},
      {"https://a/\x01", "characters of URLs"},
      {"https://a/\x7f", "characters of URLs"},
      {"https://a/\"><script>", "characters of URLs"},
      {"https://a/\xc3\xa9", "characters of URLs"},
  };
  for (const auto& [url, told] : cases)
    EXPECT_NE(WhyNoLink("wandb", url).find(told), std::string::npos) << url;
}

TEST(JobLink, HasLimits) {
  const std::string begin = "https://a/";
  EXPECT_EQ(WhyNoLink("n", begin + std::string(kLinkUrlMax - begin.size(), 'x')), "");
  EXPECT_NE(WhyNoLink("n", begin + std::string(kLinkUrlMax - begin.size() + 1, 'x')), "");
  EXPECT_EQ(WhyNoLink(std::string(64, 'n'), begin), "");
  EXPECT_NE(WhyNoLink(std::string(65, 'n'), begin), "");
  EXPECT_NE(WhyNoLink("", begin), "");
}

// A node may send anything.
TEST(JobLink, OnlyCompleteAndValidLinesAreRead) {
  const JobLink link{"wandb", "https://wandb.ai/r"};
  EXPECT_EQ(ToLine(link), "link wandb https://wandb.ai/r\n");
  const auto links = ParseLinkRecords("1000 1 1 0.5 0.5 0.5 loss\n" + ToLine(link) +
                                      "link x javascript:alert(1)\nlink\nlink \nlink y\n"
                                      "link z https://a b\nlink w https://cut");
  EXPECT_EQ(links, std::vector{link});
}

}  // namespace
}  // namespace gp
