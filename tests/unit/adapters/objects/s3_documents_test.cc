#include "adapters/outbound/objects/servers/s3_documents.h"

#include <gtest/gtest.h>

#include "adapters/outbound/objects/servers/xml_reader.h"

namespace gp {
namespace {

TEST(S3Documents, AListingIsRead) {
  const std::string md5(32, 'a');
  const auto page = ReadListing(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>data</Name>"
      "<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>"
      "<NextContinuationToken>t/1</NextContinuationToken>"
      "<Contents><Key>a%2Fb+c%C3%BC</Key><Size>7</Size><ETag>&quot;" +
      md5 +
      "&quot;</ETag><Owner><ID>x</ID></Owner></Contents><Contents><Key>d</Key>"
      "<ETag>\"x-2\"</ETag><Size>0</Size></Contents></ListBucketResult>");
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->next, "t/1");
  ASSERT_EQ(page->entries.size(), 2U);
  EXPECT_EQ(page->entries[0].key, "a/b c\xc3\xbc");
  EXPECT_EQ(page->entries[0].size, 7);
  EXPECT_EQ(page->entries[0].md5, md5);
  EXPECT_EQ(page->entries[1].version, "x-2");
  EXPECT_EQ(page->entries[1].md5, "");
}

TEST(S3Documents, OtherDocumentsAreRead) {
  EXPECT_EQ(*ReadUploadId("<InitiateMultipartUploadResult><UploadId>u</UploadId>"
                          "</InitiateMultipartUploadResult>"),
            "u");
  EXPECT_FALSE(ReadUploadId("<x/>"));
  EXPECT_EQ(ErrorCodeIn("<Error><Code>NoSuchKey</Code></Error>"), "NoSuchKey");
  for (const char* text : {"", "<Error><Code>a b</Code></Error>", "<Error><Code>x</Code>", "<x/>"})
    EXPECT_EQ(ErrorCodeIn(text), "") << text;
  EXPECT_EQ(CompletionText({"\"a\"", "b&"}),
            "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>&quot;a&quot;</ETag>"
            "</Part><Part><PartNumber>2</PartNumber><ETag>b&amp;</ETag></Part>"
            "</CompleteMultipartUpload>");
}

// Each cut and each changed byte is an error or another document, and no crash.
TEST(S3Documents, DamageIsHarmless) {
  const std::string whole =
      "<ListBucketResult><Contents><Key>a</Key><Size>1</Size></Contents></ListBucketResult>";
  for (size_t at = 0; at < whole.size(); ++at) {
    EXPECT_FALSE(ReadListing(whole.substr(0, at)));
    for (const char byte : {'\0', '<', '&', '\xff', '9'}) {
      std::string damaged = whole;
      damaged[at] = byte;
      const auto page = ReadListing(damaged);
      EXPECT_LE(page ? page->entries.size() : 0, 1U);
    }
  }
}

}  // namespace
}  // namespace gp
