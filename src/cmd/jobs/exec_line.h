#pragma once

// The user's end of a process inside a job, over one connection after the other.

#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include <deque>
#include <mutex>
#include <string>

#include "cmd/jobs/exec_session.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

using ExecStream = grpc::ClientReaderWriter<v1::ExecInput, v1::ExecOutput>;

// Numbers input, and keeps it until the process has it: the next connection sends it again.  One
// thread sends, another one prints; connections are begun and ended by the latter.
class ExecLine {
 public:
  explicit ExecLine(ExecOptions options);

  // Over this connection from now on; starts the process, or attaches to it.  False: the user has
  // left.
  bool Begin(grpc::ClientContext& context, ExecStream& stream);
  // Prints what arrives until the process ends or the connection does; the exit code, or -1.
  int Print(ExecStream& stream);
  // Nothing more is sent over it.
  void End();
  // Whether the process may still run and another connection may attach to it.
  bool MayAttach();
  // Messages that have come so far.
  uint64_t heard();
  // The process was there, and was gone when another connection asked for it.
  bool was_missed();

  void Send(v1::ExecInput message);
  // False: the process has not taken what was sent before.
  bool HasRoom();
  // The user leaves.  Without a session the connection is broken off, which ends the process.
  void HangUp();
  // Breaks the connection off.
  void Cancel();

 private:
  // What is to be acknowledged; 0: nothing yet.
  uint64_t Note(const v1::ExecOutput& output);

  const ExecOptions options_;
  const std::string session_;

  // A write may wait for the process, where there is no session: nobody else does then.
  std::timed_mutex writing_;  // taken before the other one
  ExecStream* stream_ = nullptr;

  std::mutex mutex_;
  grpc::ClientContext* context_ = nullptr;
  bool has_session_ = true;  // no: the node's agent keeps no process for a user who comes back
  bool has_started_ = false;
  uint64_t heard_ = 0;
  bool is_hung_up_ = false;
  bool was_missed_ = false;
  uint64_t sent_ = 0;  // of data and end_of_input
  std::deque<v1::ExecInput> untaken_;
  size_t untaken_bytes_ = 0;
  uint64_t received_ = 0;  // output messages
  size_t unacknowledged_bytes_ = 0;
};

}  // namespace gp
