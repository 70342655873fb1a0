#pragma once

// OpenSSL's objects in owning pointers.  Only for this folder.

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

#include "base/result.h"

namespace gp::openssl {

template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};

using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Request = std::unique_ptr<X509_REQ, Free<X509_REQ_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, Free<GENERAL_NAMES_free>>;
using Number = std::unique_ptr<BIGNUM, Free<BN_free>>;
using Context = std::unique_ptr<SSL_CTX, Free<SSL_CTX_free>>;

inline Bio Over(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}
inline Bio Memory() { return Bio(BIO_new(BIO_s_mem())); }

inline std::string Text(const Bio& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

// An error with OpenSSL's own reason for its last failure; clears OpenSSL's error queue.
inline Error Failed(const std::string& what) {
  char reason[200] = "";
  const unsigned long code = ERR_peek_last_error();
  ERR_error_string_n(code, reason, sizeof reason);
  ERR_clear_error();
  return Internal(what + (code == 0 ? "" : std::string(": ") + reason));
}

}  // namespace gp::openssl
