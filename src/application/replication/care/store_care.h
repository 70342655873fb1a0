#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "application/replication/care/log_trimmer.h"
#include "application/replication/care/store_compactor.h"
#include "application/replication/care/store_space.h"
#include "application/replication/members/controllers.h"

namespace gp {

// What a leader does so that the store stays small, beside its appends, which never wait for it.
// It has a thread.
class StoreCare {
 public:
  struct Of {
    LogTrimmer& trimmer;
    StoreCompactor* compactor = nullptr;  // nullptr: others compact the store
    StoreSpace& space;
    const NewChunks& written;
    Controllers* controllers = nullptr;  // looks at them for who asks later; may be nullptr
  };
  // All outlive it.
  StoreCare(Of of, OperatorLog& log);
  ~StoreCare();

 private:
  void Run();
  void Rest(std::unique_lock<std::mutex>& lock);
  bool Turn();
  void Hear(const Status& status);

  Of of_;
  OperatorLog& log_;
  std::string trouble_;  // the newest that was logged
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace gp
