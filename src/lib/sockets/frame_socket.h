#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "files/descriptor.h"
#include "lib/tls/tls_session.h"

namespace gp {

// One end of a connection that carries whole messages (frames) in both directions, encrypted or
// not.  On the wire a frame is its length in four bytes, highest first, and its bytes.  No call
// waits: each does what is possible at once.  Not thread-safe.
class FrameSocket {
 public:
  // Takes a non-blocking socket.  `tls`: nullptr: not encrypted.  A longer frame of the peer is an
  // error.
  FrameSocket(Descriptor socket, const TlsSide* tls, size_t frame_bytes_max);

  // For the frames that NextFrame has not returned yet, and all that follow.
  void SetFrameBytesMax(size_t bytes) { frame_bytes_max_ = bytes; }

  int descriptor() const { return socket_.get(); }
  bool is_encrypted() const { return tls_.has_value(); }
  // The handshake is over, or there is none.
  bool is_open() const { return !tls_ || tls_->is_open(); }
  // REQUIRES: is_open.  nullopt: the peer presented none, now or when it was granted a resumption.
  std::optional<CertificateFacts> PeerCertificate() const {
    return tls_ ? tls_->PeerCertificate() : std::nullopt;
  }

  // For the peer's next connections; nullopt: there is none to grant (TlsSession).
  std::optional<TlsResumption> GrantResumption() const {
    return tls_ ? tls_->GrantResumption() : std::nullopt;
  }

  // Goes on with the handshake, and sends what is queued.  To be called when the socket is ready
  // for what is awaited.
  Status Continue();
  // Queues a frame and sends what the socket takes.
  Status Send(std::string_view frame);
  // Receives what has come, up to a limit; the rest is received by the next call.  Errors:
  // kUnavailable (the connection broke), kUnauthenticated (TLS failed), kInvalidArgument (a frame
  // is too long).
  Status Receive();
  // The next complete frame, valid until the next Receive; nullopt: there is none.
  std::optional<std::string_view> NextFrame();
  // The peer has closed its end: after the frames that are there, none follows.
  bool has_ended() const { return has_ended_; }

  // No other call follows.
  void Close() { socket_.Reset(); }

  bool has_unsent() const { return sent_ < out_.size(); }
  // What to poll the socket for, besides POLLIN.
  bool awaits_write() const {
    return handshake_awaits_write_ || read_awaits_write_ || (is_open() && has_unsent());
  }
  // Frames were received that NextFrame has not returned, or bytes that Receive has not: there may
  // be no event for them.
  bool HasMore() const;

 private:
  Result<IoProgress> Read(char* buffer, size_t size);
  Result<IoProgress> Write(std::string_view bytes);
  // nullopt: its length has not come.
  std::optional<size_t> LengthOfNext() const;

  Descriptor socket_;
  std::optional<TlsSession> tls_;
  size_t frame_bytes_max_;
  std::string in_;  // received; [taken_, end) is still to be returned
  size_t taken_ = 0;
  std::string out_;  // [sent_, end) is still to be sent
  size_t sent_ = 0;
  bool handshake_awaits_write_ = false;
  bool read_awaits_write_ = false;  // TLS answers the peer before it reads on
  bool has_more_ = false;           // the last Receive stopped at its limit
  bool has_ended_ = false;
};

}  // namespace gp
