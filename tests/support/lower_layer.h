#pragma once

// A directory whose content lies in the lower layer of an overlay, as that of a container's image
// does: there the kernel refuses to rename directories.  Needs root, and a mount namespace that the
// first one makes for the whole test program.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace gp {

class LowerLayer {
 public:
  explicit LowerLayer(const std::string& name)
      : scratch_(testing::TempDir() + name + "." + std::to_string(getpid())) {
    static const bool is_apart =
        unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    std::filesystem::create_directories(scratch_);
    is_possible_ = is_apart && mount("lower_layer", scratch_.c_str(), "tmpfs", 0, "mode=755") == 0;
    for (const char* part : {"/lower", "/upper", "/work", "/top"})
      std::filesystem::create_directories(scratch_ + part);
  }
  ~LowerLayer() {
    umount2(top().c_str(), MNT_DETACH);
    umount2(scratch_.c_str(), MNT_DETACH);
    std::filesystem::remove_all(scratch_);
  }
  LowerLayer(const LowerLayer&) = delete;
  LowerLayer& operator=(const LowerLayer&) = delete;

  // What is written here before Cover is what top() shows after it.
  std::string lower() const { return scratch_ + "/lower"; }
  std::string top() const { return scratch_ + "/top"; }
  // False: this host lets nobody mount here.
  bool Cover() const {
    const std::string options =
        "lowerdir=" + lower() + ",upperdir=" + scratch_ + "/upper,workdir=" + scratch_ + "/work";
    return is_possible_ && mount("lower_layer", top().c_str(), "overlay", 0, options.c_str()) == 0;
  }

 private:
  const std::string scratch_;
  bool is_possible_ = false;
};

}  // namespace gp

// The test ends here, skipped with the reason, where there are no overlays.
#define GP_COVER_OR_SKIP(layer)                                       \
  if (!(layer).Cover())                                               \
  GTEST_SKIP() << "SKIPPED: this test needs root, and a kernel with " \
                  "overlayfs"
