#include "lib/secrets/hash_stream.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

std::string Digest(HashStream::Kind kind) {
  HashStream stream(kind);
  for (const char* piece : {"a", "", "bc"}) stream.Add(piece);
  return HexText(stream.End());
}

// Of "abc", as the standards give them.
TEST(HashStream, DigestsPieces) {
  EXPECT_EQ(Digest(HashStream::Kind::kMd5), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(Digest(HashStream::Kind::kSha1), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(Digest(HashStream::Kind::kSha256),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace gp
