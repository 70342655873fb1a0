// A job in an image: what it sees, what it cannot reach, and that the image's owner gains nothing.

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include <functional>
#include <sstream>

#include "tests/security/isolation/isolated_host.h"
#include "tests/security/isolation/test_image.h"

namespace gp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr HierarchyKind kImageHosts[] = {{"Bpf", Mechanism::kBpf, true},
                                         {"LegacyBesideUnified", Mechanism::kLegacy, true},
                                         {"LegacyAlone", Mechanism::kLegacy, false}};

std::string MountsOfHost() {
  std::ifstream file("/proc/self/mountinfo");
  return {std::istreambuf_iterator<char>(file), {}};
}

class ImageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GP_SKIP_UNLESS_ROOT();
    Open({});
  }
  void Open(const CgroupIsolation::Options& options) {
    host_ = std::make_unique<IsolatedHost>(options);
    image_ = std::make_unique<TestImage>(harness().directory() + "/image");
    mounts_ = MountsOfHost();
  }
  void TearDown() override {
    if (host_ == nullptr) return;
    EXPECT_EQ(MountsOfHost(), mounts_) << "a job's mounts appear on the host";
  }
  RunnerHarness& harness() { return *host_->harness; }
  LaunchSpec In(LaunchSpec spec) const {
    if (is_layered_) {
      spec.image_layers = {MakeTop(), image_->directory()};
    } else {
      spec.image_directory = image_->directory();
    }
    spec.user_name = "ana";
    spec.home = "/home/ana";
    return spec;
  }
  LaunchSpec Shell(const std::string& key, const std::string& script) const {
    return In(host_->Shell(key, script));
  }
  std::string HomeOf(uint32_t uid) {
    const std::string home = harness().directory() + "/home-" + std::to_string(uid);
    mkdir(home.c_str(), 0700);
    EXPECT_EQ(chown(home.c_str(), uid, uid), 0);
    return home;
  }

  // A layer above the image's, as the store keeps it.
  std::string MakeTop() const {
    const std::string top = host_->harness->directory() + "/top";
    std::filesystem::create_directories(top + "/of-the-top");
    return top;
  }

  std::unique_ptr<IsolatedHost> host_;
  std::unique_ptr<TestImage> image_;
  bool is_layered_ = false;
  std::string mounts_;
  int broken_ = 0;
};

TEST_F(ImageTest, ItsRootIsTheImages) {
  const AttemptStatus status =
      harness().Run(Shell("job", "cat /of-the-image; ls -d /home /var /boot; ls -d " +
                                     harness().directory() + "; id; true"));
  EXPECT_EQ(status.exit_code, 0) << status.message << harness().Errors("job");
  EXPECT_THAT(harness().Output("job"), HasSubstr("yes\nuid=" + std::to_string(kJobUid) + "(ana)"));
  EXPECT_THAT(harness().Errors("job"), HasSubstr(harness().directory()));  // No such file
}

TEST_F(ImageTest, WhatItWritesIsItsOwnAndGoesWithIt) {
  ASSERT_EQ(chmod(image_->directory().c_str(), 0777), 0);
  const std::string script = "echo x > /written && echo y > /tmp/z && echo > /dev/shm/s && ls /tmp";
  EXPECT_EQ(harness().Run(Shell("job", script)).exit_code, 0) << harness().Errors("job");
  EXPECT_EQ(harness().Output("job"), "z\n");
  EXPECT_FALSE(std::filesystem::exists(image_->At("/written")));
  ASSERT_TRUE(harness().runner->Forget("job").has_value());
  harness().AwaitNothingLeft();
}

// As in a container.
TEST_F(ImageTest, TheAgentsDirectoryMayBeInAnOverlay) {
  ASSERT_EQ(chmod(image_->directory().c_str(), 0777), 0);
  const std::string attempts = harness().state() + "/attempts";
  const std::string layers = harness().directory() + "/layers";
  for (const char* name : {"", "/lower", "/upper", "/work"})
    std::filesystem::create_directory(layers + name);
  const std::string options =
      "lowerdir=" + layers + "/lower,upperdir=" + layers + "/upper,workdir=" + layers + "/work";
  ASSERT_EQ(mount("overlay", attempts.c_str(), "overlay", 0, options.c_str()), 0);
  const AttemptStatus status =
      harness().Run(Shell("job", "echo x > /written && cat /written /proc/mounts"));
  EXPECT_EQ(status.exit_code, 0) << status.message << harness().Errors("job");
  EXPECT_THAT(harness().Output("job"), HasSubstr("x\nnone / overlay rw,nosuid,nodev"));
  EXPECT_TRUE(harness().runner->Forget("job").has_value());
  harness().AwaitNothingLeft();
  EXPECT_EQ(umount2(attempts.c_str(), MNT_DETACH), 0);
}

TEST_F(ImageTest, TheImagesFilesAreNotItsUsers) {
  harness().Run(Shell("job", "touch /x; echo > /etc/passwd; echo > /sys/x; touch /dev/x; true"));
  for (const char* path : {"/x", "/etc/passwd", "/sys/x", "/dev/x"})
    EXPECT_THAT(harness().Errors("job"), HasSubstr(path)) << "refused, with its name";
}

// Neither set-user-id programs nor device files of an image mean anything.
TEST_F(ImageTest, AnImageGivesNoPrivileges) {
  image_->Copy("/usr/bin/id", "/usr/bin/rooted");
  ASSERT_EQ(chmod(image_->At("/usr/bin/rooted").c_str(), 04755), 0);
  image_->Copy(host_->program(), "/escape");
  ASSERT_EQ(chmod(image_->At("/escape").c_str(), 0755), 0);
  ASSERT_EQ(mknod(image_->At("/gpu1").c_str(), S_IFCHR | 0666, makedev(195, 1)), 0);
  ASSERT_EQ(chmod(image_->At("/gpu1").c_str(), 0666), 0);
  LaunchSpec spec = Shell("job", "rooted -u; /escape --try /gpu1");
  spec.devices = {{195, 1}};
  harness().Run(spec);
  EXPECT_EQ(harness().Output("job"), std::to_string(kJobUid) + "\nEACCES /gpu1\n")
      << harness().Errors("job");
}

TEST_F(ImageTest, LinksOfTheImageLeadNowhereElse) {
  for (const std::string path : {"/tmp", "/proc", "/sys", "/dev"}) {
    std::filesystem::create_symlink("../../../../../../etc/made" + path, image_->At(path));
    std::filesystem::create_directories(image_->At("/etc/made" + path));
  }
  std::filesystem::create_symlink("/etc/shadow", image_->At("/etc/passwd"));
  ASSERT_EQ(mkfifo(image_->At("/etc/group").c_str(), 0666), 0);
  ASSERT_EQ(mkfifo(image_->At("/etc/hosts").c_str(), 0666), 0);
  std::filesystem::create_symlink("nowhere/at/all", image_->At("/etc/resolv.conf"));
  const AttemptStatus status = harness().Run(Shell("job", "cat /etc/passwd"));
  EXPECT_EQ(status.cause, EndCause::kExit) << status.message;
  EXPECT_THAT(harness().Output("job"), HasSubstr("ana:x:")) << harness().Errors("job");
  EXPECT_FALSE(std::filesystem::exists("/etc/made"));
}

TEST_F(ImageTest, AFileInPlaceOfADirectoryIsTheJobsFault) {
  image_->Write("/tmp", "a file\n");
  const AttemptStatus status = harness().Run(Shell("job", "true"));
  EXPECT_EQ(status.cause, EndCause::kCouldNotStart);
  EXPECT_THAT(status.message, HasSubstr("cannot make /tmp in the image: Not a directory"));
}

// Wherever a start in an image ends, hooks are the host's, never files of the image.
TEST_F(ImageTest, HooksNeverRunInAnImageThatCouldNotBeEntered) {
  const std::string hook = harness().directory() + "/hook";
  std::ofstream(hook) << "#!/bin/sh\necho of-the-host\n";
  ASSERT_EQ(chmod(hook.c_str(), 0755), 0);
  for (const char* broken : {"/tmp", "/dev", "/proc", "/etc/passwd/x"}) {
    TestImage hostile(harness().directory() + "/hostile" + std::to_string(++broken_));
    hostile.Write(hook, "#!/bin/sh\necho ROOT-IN-THE-IMAGE\n");
    ASSERT_EQ(chmod(hostile.At(hook).c_str(), 0755), 0);
    hostile.Write(broken, "in the way\n");
    LaunchSpec spec = host_->Shell("broken-" + std::to_string(broken_), "true");
    spec.image_directory = hostile.directory();
    spec.epilog = hook;
    const AttemptStatus status = harness().Run(spec);
    EXPECT_EQ(status.cause, EndCause::kCouldNotStart) << broken << status.message;
    EXPECT_EQ(harness().Errors(spec.key), "of-the-host\n");
  }
}

// Root makes mount points, and must make none outside the image, wherever links lead.
TEST_F(ImageTest, NothingIsMadeOnTheHostInItsUsersPlace) {
  const std::string target = harness().directory() + "/target";  // readable, not the user's
  std::filesystem::create_directories(target + "/kept");
  std::filesystem::create_symlink("nowhere", target + "/localtime");
  const std::string link = HomeOf(kJobUid) + "/link";
  std::filesystem::create_directory_symlink(target, link);
  std::filesystem::create_directories(image_->At(target));
  std::filesystem::create_directory_symlink(target, image_->At("/etc"));
  std::filesystem::create_directory_symlink(target, image_->At("/srv"));
  int count = 0;
  for (const std::string& shown : {target, link, target + "/kept"}) {
    LaunchSpec spec = Shell("shown-" + std::to_string(++count), "ls " + shown);
    spec.host_directories = {{shown, HostDirectory::Absent::kFail},
                             {"/srv/deep/er", HostDirectory::Absent::kSkip}};
    spec.report_pipe = harness().directory() + "/report-" + std::to_string(count);
    const AttemptStatus status = harness().Run(spec);
    EXPECT_EQ(status.cause, EndCause::kExit) << shown << ": " << status.message;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(target), {}), 2) << shown;
    EXPECT_TRUE(std::filesystem::is_symlink(target + "/localtime")) << shown;
    EXPECT_TRUE(std::filesystem::is_empty(target + "/kept")) << shown;
  }
}

TEST_F(ImageTest, TheHostsRootAndWhatTheKernelShowsCannotBeShown) {
  const std::string home = HomeOf(kJobUid);
  std::vector<std::string> refused = {"/", "/proc", "/sys", "/sys/fs/cgroup", "/dev", "/dev/shm"};
  for (const std::string hidden : {"/", "/proc", "/sys", "/dev", "/dev/shm"}) {
    refused.push_back(home + "/link" + std::to_string(refused.size()));
    std::filesystem::create_directory_symlink(hidden, refused.back());
  }
  int count = 0;
  for (const std::string& path : refused) {
    LaunchSpec spec = Shell("shown-" + std::to_string(++count), "true");
    spec.host_directories = {{path, HostDirectory::Absent::kFail}};
    AttemptStatus status = harness().Run(spec);
    EXPECT_EQ(status.cause, EndCause::kCouldNotStart) << path;
    EXPECT_THAT(status.message, HasSubstr("a job in an image cannot have " + path));
    spec = Shell("image-" + std::to_string(count), "true");
    spec.image_directory = path;
    status = harness().Run(spec);
    EXPECT_EQ(status.cause, EndCause::kCouldNotStart) << path;
    EXPECT_THAT(status.message, HasSubstr("a job in an image cannot have " + path));
  }
}

// As the units of the packages have it.
TEST_F(ImageTest, AnAgentsUmaskChangesNothing) {
  const mode_t before = umask(077);
  harness().Open();  // with a fork server that has it too
  const std::string home = HomeOf(kJobUid);
  LaunchSpec spec = Shell("job", "id && cd " + home + " && ls -ld /home/ana/of/nobody");
  spec.host_directories = {{home, HostDirectory::Absent::kFail},
                           {"/home/ana/of/nobody", HostDirectory::Absent::kSkip}};
  harness().Run(spec);
  umask(before);
  EXPECT_THAT(harness().Output("job"), HasSubstr("(ana)")) << harness().Errors("job");
  EXPECT_THAT(harness().Errors("job"), Not(HasSubstr("cd: ")));
}

TEST_F(ImageTest, AnImageThatItsUserMayNotReadIsRefused) {
  const std::string others = HomeOf(kOtherUid);
  std::filesystem::rename(image_->directory(), others + "/image");
  LaunchSpec spec = host_->Shell("job", "true");
  for (const auto& [path, why] : {std::pair(others + "/image", "Permission denied"),
                                  std::pair(others + "x", "No such file")}) {
    spec.key = why[0] == 'P' ? "denied" : "missing";
    spec.image_directory = path;
    const AttemptStatus status = harness().Run(spec);
    EXPECT_EQ(status.cause, EndCause::kCouldNotStart);
    EXPECT_THAT(status.message, HasSubstr("cannot open " + path + ": " + why));
  }
}

TEST_F(ImageTest, DirectoriesOfTheHostAreSeenWithTheRightsOfTheUser) {
  const std::string home = HomeOf(kJobUid);
  LaunchSpec spec = Shell("job", "echo kept > " + home + "/made/file; id > " + home + "/id; true");
  spec.working_directory = home;
  spec.host_directories = {{home + "/made", HostDirectory::Absent::kMake},
                           {home, HostDirectory::Absent::kFail},
                           {home + "/none", HostDirectory::Absent::kSkip}};
  EXPECT_EQ(harness().Run(spec).exit_code, 0) << harness().Errors("job");
  struct stat facts;
  ASSERT_EQ(stat((home + "/made/file").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, kJobUid);
  EXPECT_FALSE(std::filesystem::exists(home + "/none"));

  spec.key = "denied";
  spec.host_directories = {{HomeOf(kOtherUid) + "/of-another", HostDirectory::Absent::kMake}};
  AttemptStatus status = harness().Run(spec);
  EXPECT_EQ(status.cause, EndCause::kCouldNotStart);
  EXPECT_THAT(status.message, HasSubstr("/of-another: Permission denied"));
  spec.key = "missing";
  spec.host_directories = {{home + "/none", HostDirectory::Absent::kFail}};
  status = harness().Run(spec);
  EXPECT_EQ(status.cause, EndCause::kCouldNotStart);
}

// What an image's owner can prepare, who is root of another machine and unpacked it here as it was.
struct HostileImage {
  const char* what;
  std::function<void(const TestImage& image, const std::string& canary)> prepare;
};

void Replace(const std::string& path, const std::function<void(const char*)>& make) {
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  make(path.c_str());
}

void Link(const TestImage& image, const std::string& at, const std::string& target) {
  Replace(image.At(at), [&](const char* path) { EXPECT_EQ(symlink(target.c_str(), path), 0); });
}

void Node(const TestImage& image, const std::string& at, mode_t mode, dev_t device = 0) {
  Replace(image.At(at),
          [&](const char* path) { EXPECT_EQ(mknod(path, mode | 0666, device), 0) << path; });
}

std::vector<HostileImage> HostileImages() {
  std::vector<HostileImage> all;
  // Every place that the platform uses, as everything else than a directory or file.
  for (const std::string at : {"/tmp", "/dev", "/proc", "/sys", "/etc", "/etc/passwd", "/etc/group",
                               "/etc/hosts", "/etc/resolv.conf"}) {
    all.push_back({"a link to the host's", [at](const TestImage& image, const std::string& canary) {
                     Link(image, at, canary);
                   }});
    all.push_back({"a link up", [at](const TestImage& image, const std::string& canary) {
                     Link(image, at, "../../../../../../../.." + canary);
                   }});
    all.push_back(
        {"a loop", [at](const TestImage& image, const std::string&) { Link(image, at, at); }});
    all.push_back(
        {"a pipe", [at](const TestImage& image, const std::string&) { Node(image, at, S_IFIFO); }});
    all.push_back({"a socket", [at](const TestImage& image, const std::string&) {
                     Node(image, at, S_IFSOCK);
                   }});
    all.push_back({"a whiteout", [at](const TestImage& image, const std::string&) {
                     Node(image, at, S_IFCHR, makedev(0, 0));
                   }});
    all.push_back({"a disk", [at](const TestImage& image, const std::string&) {
                     Node(image, at, S_IFBLK, makedev(8, 0));
                   }});
  }
  all.push_back({"a full directory for a file", [](const TestImage& image, const std::string&) {
                   image.Write("/etc/passwd/x", "x");
                 }});
  all.push_back(
      {"a file of the host by another name", [](const TestImage& image, const std::string& canary) {
         Replace(image.At("/etc/passwd"),
                 [&](const char* path) { EXPECT_EQ(link((canary + "/file").c_str(), path), 0); });
       }});
  all.push_back({"a root that only root may enter", [](const TestImage& image, const std::string&) {
                   EXPECT_EQ(chmod(image.directory().c_str(), 0700), 0);
                 }});
  all.push_back({"a root of mode 0", [](const TestImage& image, const std::string&) {
                   EXPECT_EQ(chmod(image.directory().c_str(), 0), 0);
                 }});
  all.push_back(
      {"a path too long for a system call", [](const TestImage& image, const std::string&) {
         std::string deep = "/deep";
         for (int i = 0; i < 14; ++i) deep += "/" + std::string(250, 'd');
         image.Write(deep + "/file", "x");
       }});
  all.push_back({"names that a terminal obeys", [](const TestImage& image, const std::string&) {
                   image.Write("/etc/\x1b]0;x\a\n", "x");
                 }});
  all.push_back({"a redirect of the overlay", [](const TestImage& image, const std::string&) {
                   std::filesystem::create_directories(image.At("/tmp"));
                   setxattr(image.At("/tmp").c_str(), "trusted.overlay.redirect", "/etc", 4, 0);
                   setxattr(image.At("/tmp").c_str(), "trusted.overlay.opaque", "y", 1, 0);
                 }});
  all.push_back({"a shell with set-user-id", [](const TestImage& image, const std::string&) {
                   EXPECT_EQ(chmod(image.At("/usr/bin/id").c_str(), 06755), 0);
                 }});
  return all;
}

// The job starts or is refused by its own fault, is its user, and the host stays as it was.
TEST_F(ImageTest, HostileImagesAreRefusedOrHarmless) {
  const std::string canary = harness().directory() + "/canary";
  std::filesystem::create_directories(canary);
  std::ofstream(canary + "/file") << "untouched";
  const std::vector<HostileImage> images = HostileImages();
  EXPECT_GE(images.size(), 40u);
  int started = 0;
  for (size_t i = 0; i < images.size(); ++i) {
    const std::string number = std::to_string(i);
    const TestImage image(harness().directory() + "/hostile-" + number);
    images[i].prepare(image, canary);
    LaunchSpec spec = Shell("job-" + number, "/usr/bin/id -u; echo x > /tmp/x; echo x > /etc/x");
    spec.image_directory = image.directory();
    const AttemptStatus status = harness().Run(spec);
    const bool has_run = status.cause == EndCause::kExit;
    started += has_run ? 1 : 0;
    EXPECT_TRUE(has_run || status.cause == EndCause::kCouldNotStart)
        << images[i].what << " " << i << ": " << status.message;
    if (has_run) {
      EXPECT_EQ(harness().Output(spec.key), std::to_string(kJobUid) + "\n") << images[i].what << i;
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(canary), {}), 1) << images[i].what;
    std::ifstream file(canary + "/file");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "untouched") << i;
    std::filesystem::remove_all(image.directory());
  }
  EXPECT_GT(started, 20) << "most are harmless";
}

HostDirectory Requested(const std::string& path, const std::string& at, bool read_only = false) {
  return {path, HostDirectory::Absent::kFail, at, read_only, true};
}

TEST_F(ImageTest, MountsAreSeenWhereTheJobWantsThem) {
  const std::string home = HomeOf(kJobUid);
  const std::string data = harness().directory() + "/data";
  std::filesystem::create_directories(data + "/part");
  std::ofstream(data + "/file") << "of the host\n";
  ASSERT_EQ(chmod(data.c_str(), 0777), 0);
  std::filesystem::create_directory(home + "/over");
  LaunchSpec spec = Shell("job", "cat /data/file " + home +
                                     "/over/file && echo x > /in/to/made; "
                                     "touch /data/x; touch " +
                                     home + "/over/x; ls /tmp/d");
  spec.host_directories = {Requested(data, "/data", true),
                           Requested(data, "/in/to"),
                           Requested(data, home + "/over", true),
                           Requested(data, "/tmp/d"),
                           {home, HostDirectory::Absent::kFail}};
  const AttemptStatus status = harness().Run(spec);
  EXPECT_EQ(status.cause, EndCause::kExit) << status.message;
  EXPECT_EQ(harness().Output("job"), "of the host\nof the host\nfile\nmade\npart\n");
  EXPECT_THAT(harness().Errors("job"), HasSubstr("Read-only file system"));
  struct stat facts;
  ASSERT_EQ(stat((data + "/made").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, kJobUid);
  EXPECT_FALSE(std::filesystem::exists(data + "/x"));
  EXPECT_TRUE(std::filesystem::is_empty(home + "/over"));
}

TEST_F(ImageTest, AMountNeedsADirectoryWhereTheHostsIsShown) {
  const std::string home = HomeOf(kJobUid);
  LaunchSpec spec = Shell("job", "true");
  spec.host_directories = {{home, HostDirectory::Absent::kFail},
                           Requested(harness().directory(), home + "/missing")};
  AttemptStatus status = harness().Run(spec);
  EXPECT_EQ(status.cause, EndCause::kCouldNotStart) << "the job's fault";
  EXPECT_THAT(status.message, HasSubstr("cannot open " + home + "/missing in " + home));
  EXPECT_FALSE(std::filesystem::exists(home + "/missing")) << "root makes nothing there";
  spec = Shell("covered", "true");
  spec.host_directories = {Requested(home, harness().directory())};
  spec.report_pipe = harness().directory() + "/report";
  status = harness().Run(spec);
  EXPECT_EQ(status.cause, EndCause::kCouldNotStart);
  EXPECT_THAT(status.message, HasSubstr(harness().directory() + ", shown in the image, covers "));
}

// A mount over the root would hide /dev, /sys and /etc/passwd, and become the job's root.
TEST_F(ImageTest, LinksToTheRootAreNoPlaceForMounts) {
  const std::string home = HomeOf(kJobUid);
  std::filesystem::create_directory_symlink("/", home + "/over");
  std::filesystem::create_directory_symlink("/", image_->At("/data"));
  std::filesystem::create_directory_symlink("..", image_->At("/up"));
  int count = 0;
  for (const std::string& at : {home + "/over", std::string("/data"), std::string("/up")}) {
    LaunchSpec spec = Shell("job-" + std::to_string(++count), "true");
    spec.host_directories = {{home, HostDirectory::Absent::kFail}, Requested(home, at)};
    const AttemptStatus status = harness().Run(spec);
    EXPECT_EQ(status.cause, EndCause::kCouldNotStart) << at << ": " << status.message;
  }
  for (const std::string at : {"/dev", "/sys", "/tmp", "/proc", "/etc"}) {
    TestImage hostile(harness().directory() + "/root" + std::to_string(++broken_));
    std::filesystem::remove_all(hostile.At(at));
    std::filesystem::create_directory_symlink("/", hostile.At(at));
    LaunchSpec spec = host_->Shell("link-" + std::to_string(broken_), "true");
    spec.image_directory = hostile.directory();
    const AttemptStatus status = harness().Run(spec);
    EXPECT_EQ(status.cause, EndCause::kCouldNotStart) << at << ": " << status.message;
    EXPECT_THAT(status.message, HasSubstr("is a link to its root")) << at;
  }
}

// A file system of the host that is mounted below a directory of the job is shown where it is
// named.
TEST_F(ImageTest, AFileSystemBelowAnotherIsShownWhereItIsNamed) {
  const std::string above = harness().directory() + "/above";
  const std::string below = above + "/below";
  std::filesystem::create_directories(below);
  std::ofstream(below + "/underneath") << "x";
  ASSERT_EQ(mount("test", below.c_str(), "tmpfs", 0, nullptr), 0);
  std::ofstream(below + "/mounted") << "x";
  LaunchSpec spec = Shell("job", "ls " + below);
  spec.host_directories = {Requested(above, above), Requested(below, below)};
  harness().Run(spec);
  spec = Shell("unnamed", "ls " + below);
  spec.host_directories = {Requested(above, above)};
  harness().Run(spec);
  EXPECT_EQ(umount2(below.c_str(), MNT_DETACH), 0);
  EXPECT_EQ(harness().Output("job"), "mounted\n") << harness().Errors("job");
  EXPECT_EQ(harness().Output("unnamed"), "underneath\n");
}

TEST_F(ImageTest, MountsComeFromTheSitesPrefixesAlone) {
  const std::string site = harness().directory() + "/site";
  const std::string outside = harness().directory() + "/site-outside";
  for (const std::string& path : {site + "/in", outside}) std::filesystem::create_directories(path);
  std::filesystem::create_directory_symlink("in", site + "/to-in");
  std::filesystem::create_directory_symlink(outside, site + "/to-outside");
  std::filesystem::create_directory_symlink("../../site-outside", site + "/in/up");
  std::filesystem::create_directory_symlink(outside, site + "/nearer");
  const std::pair<std::string, std::string> cases[] = {
      {site, ""},
      {site + "/in", ""},
      {site + "/to-in", ""},
      {site + "/nearer", ""},
      {outside, "this node does not show " + outside + " to jobs"},
      {"/etc", "this node does not show /etc to jobs"},
      {site + "/to-outside", "is absolute, or leads out of " + site},
      {site + "/in/up", "leads out of " + site},
      {site + "/none", "No such file"}};
  int count = 0;
  for (const auto& [path, why] : cases) {
    LaunchSpec spec = Shell("job-" + std::to_string(++count), "ls -d /shown");
    spec.host_directories = {Requested(path, "/shown")};
    spec.mount_prefixes = {"/of/another/site", site, site + "/nearer"};
    const AttemptStatus status = harness().Run(spec);
    EXPECT_EQ(status.cause, why.empty() ? EndCause::kExit : EndCause::kCouldNotStart) << path;
    EXPECT_THAT(status.message, HasSubstr(why)) << path;
  }
}

TEST_F(ImageTest, ExecAndTerminalsAreInsideToo) {
  harness().Start(Shell("job", "echo ready; exec sleep 1000"));
  harness().AwaitOutput("job", "ready");
  ExecSpec command;
  command.argv = {"sh", "-c", "cat /of-the-image; tty; ls /proc | cat"};
  command.pty = true;
  const auto streams = harness().runner->Exec("job", command);
  ASSERT_TRUE(streams.has_value()) << streams.error().message;
  const std::string seen = ReadAll(streams->output);
  EXPECT_THAT(seen, HasSubstr("yes\r\n/dev/pts/0\r\n"));
  EXPECT_THAT(seen, Not(HasSubstr("\r\n" + std::to_string(getpid()) + "\r\n")));
  harness().runner->Stop("job", Duration{});
  harness().AwaitEnd("job");
}

TEST_F(ImageTest, ReportsAndHooksWork) {
  const std::string hook = harness().directory() + "/hook";
  std::ofstream(hook) << "#!/bin/sh\nls -d " << harness().directory() << "\n";
  ASSERT_EQ(chmod(hook.c_str(), 0755), 0);
  LaunchSpec spec =
      Shell("job", "echo progress step=3 steps=7 > $GP_REPORT; cat /of-the-image >&2");
  spec.report_pipe = harness().directory() + "/reports/job";
  std::filesystem::create_directory(harness().directory() + "/reports");
  spec.environment.push_back("GP_REPORT=" + spec.report_pipe);
  spec.prolog = spec.epilog = hook;
  const AttemptStatus status = harness().Run(spec);
  EXPECT_EQ(status.exit_code, 0) << status.message << harness().Errors("job");
  EXPECT_EQ(status.progress.step, 3) << status.progress.refused;
  EXPECT_EQ(harness().Errors("job"),
            harness().directory() + "\nyes\n" + harness().directory() + "\n");
  EXPECT_FALSE(std::filesystem::exists(spec.report_pipe));
}

class ImageOnHostTest : public ImageTest {
 protected:
  void OpenOn(const HierarchyKind& kind, bool is_layered) {
    GP_SKIP_UNLESS_ROOT();
    is_layered_ = is_layered;
    CgroupIsolation::Options options;
    options.devices = kind.devices;
    options.use_unified = kind.use_unified;
    options.devices_required = false;
    Open(options);
    image_->Copy(host_->program(), "/escape");
    if (host_->isolation->Report().devices) return;
    host_.reset();
    GTEST_SKIP() << "this kernel or mount layout does not offer " << kind.name;
  }
};

// The same answers as without an image, but that files of other GPUs are not there at all.
class ImageMatrixTest
    : public ImageOnHostTest,
      public ::testing::WithParamInterface<std::tuple<HierarchyKind, uint32_t, bool>> {
 protected:
  void SetUp() override { OpenOn(std::get<0>(GetParam()), std::get<2>(GetParam())); }
};

class ImageEscapeTest : public ImageOnHostTest,
                        public ::testing::WithParamInterface<std::tuple<HierarchyKind, bool>> {
 protected:
  void SetUp() override { OpenOn(std::get<0>(GetParam()), std::get<1>(GetParam())); }
};

TEST_P(ImageMatrixTest, OnlyGrantedDevicesAreThere) {
  const std::string d = host_->nodes();
  LaunchSpec spec = In(
      host_->As(std::get<1>(GetParam()),
                harness().Program("job", {"/escape", "--try", d + "/gpu0", d + "/ctl", d + "/gpu1",
                                          d + "/gpu16", d + "/mem", "/dev/null", "/dev/tty",
                                          "/dev/urandom", "/dev/mem", "/dev/kmsg", "/dev/ptmx"})));
  spec.devices = {{195, 0}, {195, 255}};
  spec.device_directory = d;
  const AttemptStatus status = harness().Run(spec);
  EXPECT_EQ(status.exit_code, 0) << status.message;
  EXPECT_EQ(harness().Output("job"),
            "ENXIO " + d + "/gpu0\nENXIO " + d + "/ctl\nENOENT " + d + "/gpu1\nENOENT " + d +
                "/gpu16\nENOENT " + d +
                "/mem\nok /dev/null\nENXIO /dev/tty\nok /dev/urandom\nENOENT /dev/mem\nENOENT "
                "/dev/kmsg\nok /dev/ptmx\n");
}

// Beside the device rules, of which the matrix without an image tells, an image has no device files
// but those granted, and what it shows of the host has none.
TEST_P(ImageEscapeTest, NoneSucceeds) {
  harness().Start(host_->As(kOtherUid, harness().Shell("victim", "sleep 1000")));
  const int victim = harness().AwaitRunning("victim").pid;
  LaunchSpec spec = In(host_->As(kJobUid, harness().Program("escape", {"/escape"})));
  spec.environment = {"ESCAPE_NODES=" + host_->nodes(), "ESCAPE_STATE=" + harness().state(),
                      "ESCAPE_KEY=escape", "ESCAPE_VICTIM=" + std::to_string(victim)};
  spec.host_directories = {{host_->nodes(), HostDirectory::Absent::kFail}};
  spec.devices = {{195, 0}, {195, 255}};
  spec.cpus = CpuSet::Parse("0").value();
  spec.memory_bytes_max = 1 << 28;
  spec.processes_max = 64;
  spec.shm_bytes = 1 << 20;
  const AttemptStatus status = harness().Run(spec);
  EXPECT_EQ(status.exit_code, 0) << status.message << harness().Errors("escape");
  std::istringstream lines(harness().Output("escape"));
  int cases = 0;
  for (std::string line; std::getline(lines, line); ++cases)
    EXPECT_TRUE(line.starts_with("held ")) << line;
  EXPECT_GE(cases, 100);
  EXPECT_EQ(harness().Status_("victim").phase, AttemptPhase::kRunning);
  EXPECT_THAT(IsolatedHost::Processes(kJobUid), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Hosts, ImageMatrixTest,
                         ::testing::Combine(::testing::ValuesIn(kImageHosts),
                                            ::testing::Values(0u, kJobUid), ::testing::Bool()),
                         [](const auto& test) {
                           return std::get<0>(test.param).name +
                                  std::string(std::get<1>(test.param) == 0 ? "AsRoot" : "AsUser") +
                                  (std::get<2>(test.param) ? "InLayers" : "InADirectory");
                         });

INSTANTIATE_TEST_SUITE_P(Hosts, ImageEscapeTest,
                         ::testing::Combine(::testing::ValuesIn(kImageHosts), ::testing::Bool()),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + std::string(std::get<1>(test.param)
                                                                                 ? "InLayers"
                                                                                 : "InADirectory");
                         });

}  // namespace
}  // namespace gp
