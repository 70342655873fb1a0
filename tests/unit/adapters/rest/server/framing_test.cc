#include "adapters/inbound/rest/server/framing.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

namespace gp {
namespace {

using Given = std::initializer_list<std::pair<const char*, const char*>>;

// "": it is sound.
std::string Wrong(const Given& given, unsigned version = 11) {
  boost::beast::http::fields fields;
  for (const auto& [name, value] : given) fields.insert(name, value);
  const Status status = CheckFraming(fields, version);
  return status ? "" : status.error().message;
}

TEST(Framing, IsSoundWhereThereIsOneWayToReadIt) {
  EXPECT_EQ(Wrong({{"Host", "localhost"}}), "");
  EXPECT_EQ(Wrong({{"Host", "localhost:8080"}, {"Content-Length", "0"}}), "");
  EXPECT_EQ(Wrong({{"Host", "[::1]:8080"}, {"Content-Length", "123456789012345678"}}), "");
  EXPECT_EQ(Wrong({{"Host", "gpu-1.example.org"}, {"Transfer-Encoding", "Chunked"}}), "");
  EXPECT_EQ(Wrong({{"Host", ""}}), "");
  EXPECT_EQ(Wrong({}, 10), "");
}

TEST(Framing, LengthsAreOnePlainNumber) {
  for (const char* length : {"", "5,5", "5, 5", "-1", "+5", "0x5", "5 5", "1234567890123456789"}) {
    EXPECT_EQ(Wrong({{"Host", "a"}, {"Content-Length", length}}),
              "Content-Length must be one number")
        << length;
  }
  EXPECT_EQ(Wrong({{"Host", "a"}, {"Content-Length", "5"}, {"content-length", "5"}}),
            "Content-Length is given twice");
}

TEST(Framing, ChunksAreTheOnlyCoding) {
  for (const char* coding : {"", ",", "identity", "gzip", "chunked, identity", "chunked, chunked",
                             "xchunked", "chunked;q=1", "\"chunked\""}) {
    EXPECT_EQ(Wrong({{"Host", "a"}, {"Transfer-Encoding", coding}}),
              "Transfer-Encoding must be chunked, and nothing else")
        << coding;
  }
  EXPECT_NE(
      Wrong({{"Host", "a"}, {"Transfer-Encoding", "identity"}, {"Transfer-Encoding", "chunked"}}),
      "");
  EXPECT_NE(Wrong({{"Host", "a"}, {"Transfer-Encoding", "chunked"}, {"Content-Length", "5"}}), "");
  EXPECT_NE(Wrong({{"Transfer-Encoding", "chunked"}}, 10), "");
}

TEST(Framing, AHostIsNamedOnce) {
  EXPECT_EQ(Wrong({}), "Host is missing");
  EXPECT_EQ(Wrong({{"Host", "a"}, {"Host", "a"}}), "Host is given twice");
  for (const char* host : {"a b", "a Content-Length: 5", "a,b", "a/b", "user@a", "a\tb", "<a>"})
    EXPECT_EQ(Wrong({{"Host", host}}), "Host is no name of a host") << host;
  EXPECT_EQ(Wrong({{"Host", std::string(262, 'a').c_str()}}), "Host is no name of a host");
  EXPECT_EQ(Wrong({{"Host", std::string(261, 'a').c_str()}}), "");
}

}  // namespace
}  // namespace gp
