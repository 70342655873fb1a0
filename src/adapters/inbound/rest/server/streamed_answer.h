#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/inbound/rest/http.h"
#include "adapters/inbound/rest/server/lane.h"
#include "adapters/inbound/rest/server/transport.h"

namespace gp {

// A streaming answer on a connection, which ends with it.  The lane's thread calls it.
class StreamedAnswer : public Streaming, public std::enable_shared_from_this<StreamedAnswer> {
 public:
  // Answers with the error of a call that did not succeed.
  using Refusal = std::function<void(const Error& why)>;

  StreamedAnswer(std::shared_ptr<Transport> transport, HttpReply reply, Refusal refuse);

  void Begin(Lane& lane);

 private:
  void Push(bool is_beat) override;
  void SendHead();
  void SendPiece(std::string piece);
  void AwaitGone();
  void Refuse(const Error& why);
  void EndStream();
  // Handles the end of a write and continues.
  Transport::Done Sent(bool is_head);

  const Refusal refuse_;
  const std::shared_ptr<Transport> transport_;
  std::shared_ptr<HttpStream> source_;  // nullptr: the answer has ended, or the client is gone
  const std::string head_;
  boost::asio::steady_timer begun_;
  std::string before_, piece_;  // that are being sent
  bool has_sent_head_ = false;
  bool is_sending_ = false;
  char nothing_ = 0;
};

}  // namespace gp
