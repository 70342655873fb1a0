#pragma once

#include <grpcpp/alarm.h>

#include <condition_variable>
#include <mutex>

namespace gp {

// Keeps one of gRPC's callback threads awake.  After a second without an event, each of them sleeps
// for 100 ms, and a message that arrives while all sleep would wait as long.
class StayAwake {
 public:
  StayAwake() { SetAlarm(); }
  ~StayAwake();

 private:
  void SetAlarm();
  void OnAlarm();

  grpc::Alarm alarm_;
  std::mutex mutex_;
  std::condition_variable rested_;
  bool ends_ = false;
  bool has_rested_ = false;  // no alarm follows
};

}  // namespace gp
