#pragma once

// Answers of many messages, whatever carries them.

namespace gp {

template <typename Message>
class Sink {
 public:
  virtual ~Sink() = default;
  // Nothing is in the way of an answer any more, even if there is nothing to be told yet.
  virtual void Begin() {}
  // Waits while the caller is slow.  False: nobody reads any more.
  virtual bool Write(const Message& message) = 0;
  virtual bool IsGone() const = 0;
};

// Both sides speak, from a thread each.
template <typename Input, typename Output>
class Conversation : public Sink<Output> {
 public:
  // False: the caller has ended its side, or is gone.
  virtual bool Read(Input* message) = 0;
  // Ends both sides: whoever waits in Read returns.
  virtual void Break() = 0;
};

}  // namespace gp
