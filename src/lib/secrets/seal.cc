#include "lib/secrets/seal.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <memory>

#include "base/assert.h"

namespace gp {
namespace {

constexpr size_t kNonceBytes = 12;
constexpr size_t kTagBytes = 16;

using Context = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* Bytes(std::string& text, size_t at = 0) {
  return reinterpret_cast<unsigned char*>(text.data()) + at;
}

}  // namespace

// The nonce, the ciphertext and the tag.
Result<std::string> Seal(std::string_view key, std::string_view place, std::string_view bytes) {
  GP_ASSERT(key.size() == kSealKeyBytes, "a key for sealing has 32 bytes");
  std::string sealed(kNonceBytes + bytes.size() + kTagBytes, '\0');
  if (RAND_bytes(Bytes(sealed), kNonceBytes) != 1)
    return Fail(Internal("the kernel gives no random bits"));
  const Context context(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  int size = 0;
  const bool is_sealed =
      EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, Bytes(key), Bytes(sealed)) ==
          1 &&
      EVP_EncryptUpdate(context.get(), nullptr, &size, Bytes(place),
                        static_cast<int>(place.size())) == 1 &&
      EVP_EncryptUpdate(context.get(), Bytes(sealed, kNonceBytes), &size, Bytes(bytes),
                        static_cast<int>(bytes.size())) == 1 &&
      EVP_EncryptFinal_ex(context.get(), Bytes(sealed, kNonceBytes + bytes.size()), &size) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes,
                          Bytes(sealed, kNonceBytes + bytes.size())) == 1;
  if (!is_sealed) return Fail(Internal("OpenSSL cannot seal"));
  return sealed;
}

Result<std::string> Unseal(std::string_view key, std::string_view place, std::string_view sealed) {
  GP_ASSERT(key.size() == kSealKeyBytes, "a key for sealing has 32 bytes");
  const auto damaged = [] {
    return Fail(
        InvalidArgument("it was sealed under another key or for another place, or is "
                        "damaged"));
  };
  if (sealed.size() < kNonceBytes + kTagBytes) return damaged();
  std::string tag(sealed.substr(sealed.size() - kTagBytes));
  const std::string_view hidden =
      sealed.substr(kNonceBytes, sealed.size() - kNonceBytes - kTagBytes);
  std::string bytes(hidden.size(), '\0');
  const Context context(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  int size = 0;
  unsigned char rest[kTagBytes];
  const bool is_open =
      EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, Bytes(key), Bytes(sealed)) ==
          1 &&
      EVP_DecryptUpdate(context.get(), nullptr, &size, Bytes(place),
                        static_cast<int>(place.size())) == 1 &&
      EVP_DecryptUpdate(context.get(), Bytes(bytes), &size, Bytes(hidden),
                        static_cast<int>(hidden.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, Bytes(tag)) == 1 &&
      EVP_DecryptFinal_ex(context.get(), rest, &size) == 1;
  if (!is_open) return damaged();
  return bytes;
}

}  // namespace gp
