#include "rsh/greeting.h"

#include "rsh/io.h"
#include "rsh/mac.h"

namespace gp::rsh {
namespace {

// What strangers can make the other end keep is little: a command follows after the greeting.
constexpr size_t kWordsMax = 1'024;
constexpr size_t kHead = kMacBytes + 4;

std::string LengthBytes(size_t length) {
  std::string bytes;
  for (size_t i = 0; i < 4; ++i) bytes.push_back(static_cast<char>((length >> (8 * i)) & 0xff));
  return bytes;
}

size_t LengthIn(std::string_view bytes) {
  size_t length = 0;
  for (size_t i = 0; i < 4; ++i)
    length |= static_cast<size_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return length;
}

std::string Proof(std::string_view token, std::string_view side, std::string_view server_nonce,
                  std::string_view client_nonce, std::string_view words) {
  std::string text(side);
  text.append(server_nonce).append(client_nonce).append(words);
  return Mac(token, text);
}

}  // namespace

bool Greet(int fd, std::string_view token, std::string_view words) {
  const std::string mine = Nonce();
  const auto theirs = ReadExactly(fd, kMacBytes);
  if (mine.empty() || !theirs || words.size() > kWordsMax) return false;
  std::string greeting = mine + LengthBytes(words.size());
  greeting.append(words).append(Proof(token, "client", *theirs, mine, words));
  if (!WriteAll(fd, greeting)) return false;
  const auto answer = ReadExactly(fd, kMacBytes);
  return answer && AreEqual(*answer, Proof(token, "server", *theirs, mine, words));
}

Reception::State Reception::Take(std::string& buffer, std::string_view token) {
  if (buffer.size() < kHead) return State::kWaits;
  const std::string client_nonce = buffer.substr(0, kMacBytes);
  const size_t length = LengthIn(std::string_view(buffer).substr(kMacBytes));
  if (length > kWordsMax) return State::kRefused;
  if (buffer.size() < kHead + length + kMacBytes) return State::kWaits;
  words_ = buffer.substr(kHead, length);
  const std::string proof = buffer.substr(kHead + length, kMacBytes);
  if (!AreEqual(proof, Proof(token, "client", nonce_, client_nonce, words_)))
    return State::kRefused;
  buffer.erase(0, kHead + length + kMacBytes);
  answer_ = Proof(token, "server", nonce_, client_nonce, words_);
  return State::kProven;
}

}  // namespace gp::rsh
