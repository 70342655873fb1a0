#pragma once

#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "adapters/inbound/rest/server/http_server.h"
#include "adapters/inbound/rest/server/lane.h"
#include "adapters/inbound/rest/server/request_reader.h"
#include "adapters/inbound/rest/server/transport.h"

namespace gp {

// State that all connections share.
struct Shared {
  HttpServer::Handler handler;
  boost::asio::thread_pool long_work;
  std::optional<boost::asio::ssl::context> tls;  // nullopt: nothing is encrypted
  std::atomic<bool> is_ending = false;
  // Open connections; they may outlive their listener.
  std::atomic<size_t> open_local = 0;
  std::atomic<size_t> open_tcp = 0;
};

// The other end of a connection.
struct FarEnd {
  std::string from;          // "unix", or address and port
  std::optional<User> peer;  // of a local socket, as the kernel reports it
  uint64_t body_max;         // bytes
};

// One connection: reads a request, answers it, and repeats.  Its lane's thread calls it.
class Session : public std::enable_shared_from_this<Session> {
 public:
  // `open`: counts the connections of this kind.
  Session(std::shared_ptr<Transport> transport, FarEnd far_end, Shared& shared, Lane& lane,
          std::atomic<size_t>& open);
  ~Session();

  void Begin();

 private:
  void Read();
  void Continue(RequestReader::Progress progress);
  void AnswerIt();
  HttpReply Answer(const HttpRequest& request) const;
  bool MayContinue() const;
  void Send(HttpReply reply, bool keep_alive);
  void BeginStream(HttpReply reply);
  void End();

  const std::shared_ptr<Transport> transport_;
  Shared& shared_;
  Lane& lane_;
  std::atomic<size_t>& open_;
  const FarEnd far_end_;
  RequestReader reader_{far_end_.body_max};
  std::string head_, body_;  // that are being sent
};

}  // namespace gp
