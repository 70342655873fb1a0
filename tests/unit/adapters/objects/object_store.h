#pragma once

// A small store with the API of S3 on the loopback interface, which breaks when a test wants it to.
// It checks no signatures.

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/outbound/objects/servers/object_credentials.h"
#include "adapters/outbound/objects/servers/s3_server.h"
#include "adapters/outbound/objects/servers/xml_reader.h"
#include "base/text.h"
#include "lib/http/address_rules.h"
#include "lib/secrets/hash_stream.h"
#include "tests/unit/lib/http/loopback_server.h"

namespace gp {

inline std::string Md5Of(std::string_view bytes) {
  HashStream md5(HashStream::Kind::kMd5);
  md5.Add(bytes);
  return HexText(md5.End());
}

// Access to servers of the loopback interface, with short pauses.
inline WebAccess LoopbackAccess(Duration stall = Duration::Seconds(5)) {
  return {.rules = *AddressRules::Parse({"127.0.0.0/8"}),
          .authorities = "",
          .retries = {.first = Duration::Milliseconds(1),
                      .longest = Duration::Milliseconds(20),
                      .stall = stall},
          .idle = Duration::Seconds(2)};
}

class ObjectStore {
 public:
  // Of one request, as it arrived.
  struct Heard {
    std::string method;
    std::string path;  // "/bucket/key"
    std::string query;
    std::string head;
    std::string body;
    std::string Header(const std::string& name) const {
      const size_t at = head.find("\r\n" + name + ": ");
      if (at == std::string::npos) return "";
      const size_t begin = at + name.size() + 4;
      return head.substr(begin, head.find("\r\n", begin) - begin);
    }
  };

  ObjectStore() : server_([this](Peer& peer) { Serve(peer); }) {}

  std::string endpoint() const { return "http://" + HostAndPort(server_.Address()); }
  ObjectCredentials credentials() const {
    return {.keys = {"AKEY", "SECRETKEY", ""}, .endpoint = endpoint()};
  }
  std::string secret() const {
    return R"({"access_key":"AKEY","secret_key":"SECRETKEY","endpoint":")" + endpoint() + "\"}";
  }
  // Around what asks the store: orders its thread and what the test does before and after.
  class Settled {
   public:
    explicit Settled(ObjectStore& store) : store_(store) { Wait(); }
    ~Settled() { Wait(); }
    Settled(const Settled&) = delete;
    Settled& operator=(const Settled&) = delete;

   private:
    void Wait() const { const std::lock_guard lock(store_.serving_); }
    ObjectStore& store_;
  };

  // Below "/data/".
  std::map<std::string, std::string> objects;
  std::map<std::string, std::string> digests;  // that were sent with the objects
  // Answers a request in the store's place, and returns true.
  std::function<bool(Peer&, const Heard&)> first;
  // How many bytes of a content are sent before the connection breaks.
  std::function<size_t(size_t bytes)> cut = [](size_t bytes) { return bytes; };
  std::vector<std::string> log;  // "GET /data/key"
  int64_t sent = 0;              // bytes of contents

 private:
  void Serve(Peer& peer) {
    const std::lock_guard lock(serving_);
    Heard heard{.head = peer.ReadHead()};
    const std::vector<std::string> words = Split(heard.head.substr(0, heard.head.find('\r')), ' ');
    if (words.size() != 3) return;
    heard.method = words[0];
    heard.path = Decoded(words[1].substr(0, words[1].find('?')));
    if (words[1].contains('?')) heard.query = words[1].substr(words[1].find('?') + 1);
    if (const std::string length = heard.Header("Content-Length"); !length.empty())
      heard.body = peer.ReadBytes(std::stoul(length));
    log.push_back(heard.method + " " + heard.path);
    if (first && first(peer, heard)) return;
    Answer(peer, heard);
  }

  void Answer(Peer& peer, const Heard& heard) {
    const std::string key = heard.path.size() > 6 ? heard.path.substr(6) : "";
    if (heard.query.contains("list-type=2")) return List(peer, heard);
    if (heard.method == "POST" && heard.query.contains("uploads")) return Begin(peer, key, heard);
    if (heard.method == "POST") return Complete(peer, key, heard);
    if (heard.method == "PUT") return Put(peer, key, heard);
    if (heard.method == "DELETE") {
      if (heard.query.empty()) objects.erase(key);
      return peer.Respond("204 No Content", "", "");
    }
    if (!objects.contains(key)) return peer.Respond("404 Not Found", "", "");
    Get(peer, key, heard);
  }

  void List(Peer& peer, const Heard& heard) {
    const size_t at = heard.query.find("prefix=") + 7;
    const std::string prefix = Decoded(heard.query.substr(at, heard.query.find('&', at) - at));
    std::string text = "<?xml version=\"1.0\"?><ListBucketResult>";
    for (const auto& [key, bytes] : objects)
      if (key.starts_with(prefix))
        text += "<Contents><Key>" + XmlEscaped(key) + "</Key><ETag>&quot;" + Md5Of(bytes) +
                "&quot;</ETag><Size>" + std::to_string(bytes.size()) + "</Size></Contents>";
    peer.Respond("200 OK", "", text + "<IsTruncated>false</IsTruncated></ListBucketResult>");
  }

  void Get(Peer& peer, const std::string& key, const Heard& heard) {
    const std::string& bytes = objects[key];
    const std::string etag = "\"" + Md5Of(bytes) + "\"";
    const std::string wanted = heard.Header("If-Match");
    if (!wanted.empty() && wanted != etag) return peer.Respond("412 Precondition Failed", "", "");
    const std::string range = heard.Header("Range");
    const size_t from = range.empty() ? 0 : std::stoul(range.substr(6));
    std::string head = "HTTP/1.1 " + std::string(range.empty() ? "200 OK" : "206 Partial Content") +
                       "\r\netag: " + etag + "\r\n" +
                       "content-length: " + std::to_string(bytes.size() - from) + "\r\n";
    if (!range.empty())
      head += "content-range: bytes " + std::to_string(from) + "-" +
              std::to_string(bytes.size() - 1) + "/" + std::to_string(bytes.size()) + "\r\n";
    if (digests.contains(key)) head += "x-amz-meta-sha256: " + digests[key] + "\r\n";
    peer.Say(head + "\r\n");
    if (heard.method == "HEAD") return;
    const size_t count = std::min(cut(bytes.size() - from), bytes.size() - from);
    sent += static_cast<int64_t>(count);
    peer.Say(bytes.substr(from, count));
  }

  void Put(Peer& peer, const std::string& key, const Heard& heard) {
    if (heard.Header("content-md5") != ToBase64(FromHex(Md5Of(heard.body))))
      return peer.Respond("400 Bad Request", "", "<Error><Code>BadDigest</Code></Error>");
    if (heard.query.contains("uploadId")) {
      parts_.push_back(heard.body);
    } else if (heard.Header("if-none-match") == "*" && objects.contains(key)) {
      return peer.Respond("412 Precondition Failed", "", "");
    } else {
      objects[key] = heard.body;
      digests[key] = heard.Header("x-amz-meta-sha256");
    }
    peer.Respond("200 OK", "etag: \"" + Md5Of(heard.body) + "\"\r\n", "");
  }
  void Begin(Peer& peer, const std::string& key, const Heard& heard) {
    parts_.clear();
    digests[key] = heard.Header("x-amz-meta-sha256");
    peer.Respond("200 OK", "",
                 "<InitiateMultipartUploadResult><UploadId>u1</UploadId>"
                 "</InitiateMultipartUploadResult>");
  }
  void Complete(Peer& peer, const std::string& key, const Heard&) {
    objects[key] = Join(parts_, "");
    peer.Respond("200 OK", "", "<CompleteMultipartUploadResult/>");
  }
  static std::string Decoded(std::string text) {
    for (size_t at = 0; (at = text.find('%', at)) != std::string::npos; ++at)
      text.replace(at, 3, FromHex(text.substr(at + 1, 2)));
    return text;
  }
  static std::string FromHex(const std::string& hex) {
    std::string bytes;
    for (size_t i = 0; i + 1 < hex.size(); i += 2)
      bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    return bytes;
  }

  std::vector<std::string> parts_;
  std::mutex serving_;  // held while a request is answered
  LoopbackServer server_;
};

}  // namespace gp
