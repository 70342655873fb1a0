#include "adapters/outbound/images/layer_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "adapters/outbound/images/confinement.h"
#include "adapters/outbound/images/image_answers.h"
#include "lib/secrets/secrets.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

// An entry of an archive.
struct Entry {
  std::string name;
  char type = '0';  // of ustar: '1' hard link, '2' link, '3' device, '5' directory
  std::string content;
  std::string target;
  int mode = 0644;
};

std::string Header(const Entry& entry) {
  std::string block(512, '\0');
  const auto put = [&](size_t at, const std::string& text) {
    block.replace(at, text.size(), text);
  };
  const auto octal = [](int64_t value, int width) {
    char text[16];
    std::snprintf(text, sizeof text, "%0*llo", width, static_cast<unsigned long long>(value));
    return std::string(text);
  };
  put(0, entry.name);
  put(100, octal(entry.mode, 7));
  put(108, octal(0, 7));
  put(116, octal(0, 7));
  put(124, octal(static_cast<int64_t>(entry.content.size()), 11));
  put(136, octal(0, 11));
  put(148, std::string(8, ' '));
  block[156] = entry.type;
  put(157, entry.target);
  put(257, "ustar");
  put(263, "00");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(148, octal(sum, 6));
  block[154] = '\0';
  return block;
}

std::string ArchiveOf(const std::vector<Entry>& entries) {
  std::string archive;
  for (const Entry& entry : entries) {
    archive += Header(entry) + entry.content;
    archive.resize((archive.size() + 511) / 512 * 512);
  }
  return archive + std::string(1'024, '\0');
}

class Unpacking : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "confinement needs root";
  }
  // In a process of its own, as the agent does it.
  Result<UnpackedLayer> Unpack(const std::vector<Entry>& entries, LayerLimits limits = {1 << 24}) {
    const std::string archive = ArchiveOf(entries);
    diff_id_ = "sha256:" + Sha256(archive);
    const int blob = memfd_create("blob", MFD_CLOEXEC);
    const std::string whole = archive + after_;
    EXPECT_EQ(write(blob, whole.data(), whole.size()), static_cast<ssize_t>(whole.size()));
    lseek(blob, 0, SEEK_SET);
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      const std::string answer = AnswerText(Confined(blob, limits));
      _exit(write(ends[1], answer.data(), answer.size()) < 0 ? 1 : 0);
    }
    close(ends[1]);
    char text[4'096];
    const ssize_t count = read(ends[0], text, sizeof text);
    waitpid(child, nullptr, 0);
    close(ends[0]);
    close(blob);
    return ReadUnpackedLayer(std::string(text, count > 0 ? static_cast<size_t>(count) : 0));
  }
  bool Has(const std::string& path) const { return root_.Has(path); }
  struct stat FactsOf(const std::string& path) const {
    struct stat facts{};
    EXPECT_EQ(lstat(root_.In(path).c_str(), &facts), 0) << path;
    return facts;
  }
  bool IsRemoved(const std::string& path) const {
    const struct stat facts = FactsOf(path);
    return S_ISCHR(facts.st_mode) && facts.st_rdev == 0;
  }
  bool IsOpaque(const std::string& path) const {
    char value[2] = "";
    return getxattr(root_.In(path).c_str(), "user.overlay.opaque", value, sizeof value) == 1 &&
           value[0] == 'y';
  }
  void ExpectRefused(const std::vector<Entry>& entries, const std::string& reason) {
    const auto layer = Unpack(entries);
    ASSERT_FALSE(layer);
    EXPECT_EQ(layer.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(layer.error().message.find(reason), std::string::npos) << layer.error().message;
  }

  Scratch root_;
  std::string diff_id_;
  std::string after_;  // the blob, in its file
  int64_t blob_bytes_ = std::numeric_limits<int64_t>::max();

 private:
  Result<UnpackedLayer> Confined(int blob, const LayerLimits& limits) const {
    const Descriptor root(open(root_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return UnpackLayer({Descriptor(blob), blob_bytes_}, root, limits);
  }
};

TEST_F(Unpacking, FilesAreThereAndDigestsAreTold) {
  const auto layer =
      Unpack({{"d", '5', "", "", 0700}, {"d/f", '0', "content"}, {"l", '2', "", "/x"}});
  ASSERT_TRUE(layer) << layer.error().message;
  EXPECT_EQ(layer->diff_id, diff_id_);
  EXPECT_EQ(layer->digest, diff_id_);  // it is not compressed
  EXPECT_EQ(layer->files, 3);
  EXPECT_EQ(layer->bytes, 3 * 4'096 + 7);
  EXPECT_EQ(FactsOf("d/f").st_size, 7);
  EXPECT_EQ(FactsOf("d").st_mode, S_IFDIR | 0700u);
}

TEST_F(Unpacking, PathsOutOfItAreRefused) {
  ExpectRefused({{"../out"}}, "leads out of it");
  ExpectRefused({{"a/../../out"}}, "leads out of it");
  ExpectRefused({{"h", '1', "", "../out"}}, "leads out of it");
  ExpectRefused({{"d", '5'}, {"l", '2', "", "/d"}, {"l/out"}}, "cannot be unpacked");
  ExpectRefused({{"f"},
                 {"f/"
                  ".wh.x"}},
                "cannot be unpacked");
}

TEST_F(Unpacking, PrivilegesAndDevicesAreLeftOut) {
  ASSERT_TRUE(Unpack({{"setuid", '0', "", "", 04755},
                      {"setgid", '0', "", "", 02755},
                      {"shared", '5', "", "", 02775},
                      {"device", '3'}}));
  EXPECT_EQ(FactsOf("setuid").st_mode & 07777u, 0755u);
  EXPECT_EQ(FactsOf("setgid").st_mode & 07777u, 0755u);
  EXPECT_EQ(FactsOf("shared").st_mode & 07777u, 02775u);
  EXPECT_FALSE(Has("device"));
}

TEST_F(Unpacking, WithoutMarksAFileWithTheNameOfOneIsRefused) {
  const LayerLimits limits{.bytes_max = 1 << 24, .has_marks = false};
  for (const char* name : {".wh.x", "d/.wh..wh..opq", ".wh..wh.plnk"}) {
    const auto layer = Unpack({{name}}, limits);
    ASSERT_FALSE(layer) << name;
    EXPECT_EQ(layer.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(Unpack({{"x.wh."}}, limits));
}

TEST_F(Unpacking, OnlyTheBytesOfTheBlobAreRead) {
  const std::string archive = ArchiveOf({{"f", '0', "content"}});
  blob_bytes_ = static_cast<int64_t>(archive.size());
  after_ = "of another file";
  const auto layer = Unpack({{"f", '0', "content"}});
  ASSERT_TRUE(layer) << layer.error().message;
  EXPECT_EQ(layer->diff_id, diff_id_);
}

TEST_F(Unpacking, WhatItRemovesIsMarked) {
  ASSERT_TRUE(Unpack({{"a/.wh.gone"},
                      {".wh.kept"},
                      {"kept", '0', "x"},
                      {".wh.dir"},
                      {"dir", '5'},
                      {"all/.wh..wh..opq"},
                      {".wh..wh.plnk"}}));
  EXPECT_TRUE(IsRemoved("a/gone"));
  EXPECT_TRUE(S_ISREG(FactsOf("kept").st_mode));
  EXPECT_TRUE(IsOpaque("dir"));
  EXPECT_TRUE(IsOpaque("all"));
  EXPECT_FALSE(IsOpaque("a"));
  EXPECT_FALSE(Has(".wh..wh.plnk"));
  ExpectRefused({{".wh.."}}, "removes no file");
  ExpectRefused({{".wh."}}, "removes no file");
}

TEST_F(Unpacking, LimitsHold) {
  const auto large = Unpack({{"f", '0', std::string(20'000, 'x')}}, {.bytes_max = 10'000});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ErrorCode::kResourceExhausted);
  const auto many = Unpack({{"a"}, {"b"}, {"c"}}, {.bytes_max = 1 << 20, .files_max = 2});
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(Unpack({{"a"}, {"b"}, {"c"}}, {.bytes_max = 2 * 4'096}));
}

// Directories that the archive leaves out take room as well.
TEST_F(Unpacking, DirectoriesAboveFilesCount) {
  const auto layer = Unpack({{"a/b/c/f"}, {"a/b/c/g"}, {"a/x/f"}, {"y/.wh.gone"}});
  ASSERT_TRUE(layer) << layer.error().message;
  EXPECT_EQ(layer->files, 4 + 1 + 2 + 2);
  EXPECT_EQ(layer->bytes, 9 * 4'096);
  EXPECT_FALSE(Unpack({{"a/b/c/d/e/f"}}, {.bytes_max = 1 << 20, .files_max = 5}));
}

TEST_F(Unpacking, AMarkInADirectoryThatHidesAllIsNone) {
  ASSERT_TRUE(Unpack({{"d/.wh.gone"}, {"d/e/.wh.gone"}, {"d/.wh..wh..opq"}}));
  EXPECT_TRUE(IsOpaque("d"));
  EXPECT_FALSE(Has("d/gone"));
  EXPECT_FALSE(Has("d/e"));
}

TEST_F(Unpacking, TheProcessHasThreeCapabilities) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Descriptor root(open(root_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const bool is_confined = Confine(root).has_value();
    (void)!write(ends[1], &is_confined, sizeof is_confined);
    while (true) sched_yield();
  }
  bool is_confined = false;
  EXPECT_EQ(read(ends[0], &is_confined, sizeof is_confined), 1);
  EXPECT_TRUE(is_confined);
  std::ifstream file("/proc/" + std::to_string(child) + "/status");
  const std::string status{std::istreambuf_iterator<char>(file), {}};
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  // CAP_CHOWN, CAP_DAC_OVERRIDE and CAP_FOWNER.
  for (const char* line :
       {"CapInh:\t0000000000000000", "CapPrm:\t000000000000000b", "CapEff:\t000000000000000b",
        "CapBnd:\t000000000000000b", "CapAmb:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"})
    EXPECT_NE(status.find(line), std::string::npos) << line << "\n" << status;
}

TEST_F(Unpacking, TheProcessCanDoNothingElse) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Descriptor root(open(root_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!Confine(root)) _exit(1);
    // By which the kernel would signal another process of root when the pipe is written to.
    if (fcntl(ends[0], F_SETOWN, 1) == 0 || fcntl(ends[0], F_SETFL, O_ASYNC) == 0) _exit(7);
    if (fcntl(ends[0], F_SETSIG, SIGKILL) == 0 || fcntl(ends[0], F_GETFD) < 0) _exit(8);
    if (access("/etc/passwd", F_OK) == 0 || chroot("..") == 0) _exit(2);
    if (mknod("gpu", S_IFCHR | 0666, 195 << 8) == 0) _exit(3);
    if (fork() >= 0 || kill(getppid(), 0) == 0) _exit(4);
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || setuid(1'000) == 0) _exit(5);
    char* const words[] = {nullptr};
    execv("/bin/true", words);
    _exit(errno == ENOSYS ? 0 : 6);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
}

}  // namespace
}  // namespace gp
