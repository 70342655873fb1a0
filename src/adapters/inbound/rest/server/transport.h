#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string_view>

namespace gp {

// The bytes of one connection, plain or encrypted.  The lane's thread calls it.  All connections
// have this one type, and its operations one type of handler, because each further instance of the
// library's operations costs many seconds of compilation.
class Transport : public std::enable_shared_from_this<Transport> {
 public:
  // A local socket or one of TCP.
  using Socket = boost::asio::generic::stream_protocol::socket;
  // Receives the number of bytes, 0 after an error.
  using Done = std::function<void(const boost::system::error_code& error, size_t bytes)>;

  // Encrypted unless `tls` is nullptr; it must outlive the transport.
  static std::shared_ptr<Transport> Make(Socket socket, boost::asio::ssl::context* tls);
  virtual ~Transport() = default;

  boost::asio::any_io_executor executor() { return socket().get_executor(); }
  // Closes the connection after this time, unless the time is set again.
  void ExpiresAfter(std::chrono::seconds limit);
  void ExpiresNever();
  // Pending operations end with an error.
  void Close();

  // Agrees on the encryption, if any.
  virtual void Begin(Done done) = 0;
  virtual void ReadSome(boost::asio::mutable_buffer room, Done done) = 0;
  // Sends both; they must stay where they are until it is done.
  virtual void Write(std::string_view head, std::string_view body, Done done) = 0;
  // Announces that nothing more is sent.
  virtual void End(Done done) = 0;

 protected:
  explicit Transport(const boost::asio::any_io_executor& executor) : limit_(executor) {}
  virtual Socket& socket() = 0;

 private:
  boost::asio::steady_timer limit_;
};

}  // namespace gp
