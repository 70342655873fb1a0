#include "cmd/connection/address_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string MessageOf(const std::string& text) {
  const auto parsed = ParseAddressList(text);
  EXPECT_FALSE(parsed.has_value()) << text;
  if (parsed) return "";
  EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
  return parsed.error().message;
}

std::string ListOf(size_t count) {
  std::string list;
  for (size_t i = 0; i < count; ++i)
    list += (i == 0 ? "c" : ",c") + std::to_string(i + 1) + ":7070";
  return list;
}

TEST(AddressList, HasOneAddressOrSeveral) {
  EXPECT_THAT(*ParseAddressList("127.0.0.1:7070"), ElementsAre("127.0.0.1:7070"));
  EXPECT_THAT(*ParseAddressList("c1:7070,c2.example.org:7071,[::1]:7072"),
              ElementsAre("c1:7070", "c2.example.org:7071", "[::1]:7072"));
  EXPECT_THAT(*ParseAddressList(" c1:7070, c2:7070 "), ElementsAre("c1:7070", "c2:7070"));
}

TEST(AddressList, NamesWhatIsWrong) {
  EXPECT_THAT(MessageOf("c1:7070,"), HasSubstr("\"c1:7070,\" has an empty address"));
  EXPECT_THAT(MessageOf("c1:7070,,c2:7070"), HasSubstr("has an empty address"));
  EXPECT_THAT(MessageOf(","), HasSubstr("has an empty address"));
  EXPECT_THAT(MessageOf("c1:7070,c2"), HasSubstr("\"c2\" has no port"));
  EXPECT_THAT(MessageOf("c1:7070,:7070"), HasSubstr("\":7070\" has no host"));
  EXPECT_THAT(MessageOf("c1:70700"), HasSubstr("a port is from 0 to 65535"));
  EXPECT_THAT(MessageOf("c1:7070,unix:/run/x"), HasSubstr("has no port"));
  EXPECT_THAT(MessageOf("https://c1:7070,c2:7070"), HasSubstr("https"));
  EXPECT_THAT(MessageOf("c1:7070,c2:7070,c1:7070"), HasSubstr("\"c1:7070\" is there twice"));
}

TEST(AddressList, HasALimit) {
  EXPECT_EQ(ParseAddressList(ListOf(kControllersMax))->size(), kControllersMax);
  EXPECT_EQ(MessageOf(ListOf(kControllersMax + 1)), "at most 16 addresses of controllers, not 17");
}

TEST(AddressList, OfAnAgentMayHaveSockets) {
  EXPECT_TRUE(CheckControllers({"unix:/run/a", "c1:7070"}).has_value());
  EXPECT_THAT(CheckControllers({"unix:/run/a", "unix:/run/a"}).error().message,
              HasSubstr("is there twice"));
  EXPECT_FALSE(CheckControllers(std::vector<std::string>(kControllersMax + 1, "x")).has_value());
}

TEST(AddressList, IsWithinOneThatHasAllOfIt) {
  for (const char* list : {"a:1", "b:2", "a:1,b:2", "b:2,a:1", "b:2, a:1"})
    EXPECT_TRUE(IsWithin(list, "a:1,b:2")) << list;
  for (const char* list : {"", "a:2", "a:1,c:3", "/run/gpu-platform", "a:1,"})
    EXPECT_FALSE(IsWithin(list, "a:1,b:2")) << list;
}

}  // namespace
}  // namespace gp
