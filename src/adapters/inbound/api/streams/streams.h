#pragma once

namespace gp {

// An answer of many messages, independent of the transport.
template <typename Message>
class Sink {
 public:
  virtual ~Sink() = default;
  // The call is accepted; the first message may come much later.
  virtual void Begin() {}
  // Waits while the caller is slow.  False: the caller is gone.
  virtual bool Write(const Message& message) = 0;
  virtual bool IsGone() const = 0;
};

// A stream in both directions; one thread reads, another writes.
template <typename Input, typename Output>
class Conversation : public Sink<Output> {
 public:
  // False: the caller has ended its side, or is gone.
  virtual bool Read(Input* message) = 0;
  // Ends both directions; a waiting Read returns.
  virtual void Break() = 0;
};

}  // namespace gp
