#include "adapters/outbound/driver_files/driver_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "adapters/outbound/driver_files/driver_list.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

namespace fs = std::filesystem;
using Kind = DriverFile::Kind;

class DriverFilesTest : public testing::Test {
 protected:
  std::string Path(const std::string& below) const { return scratch_.In(below); }

  void Write(const std::string& below, const std::string& text = "x", unsigned mode = 0644) {
    fs::create_directories(fs::path(Path(below)).parent_path());
    std::ofstream(Path(below)) << text;
    chmod(Path(below).c_str(), mode);
  }
  void Link(const std::string& below, const std::string& to) {
    fs::create_directories(fs::path(Path(below)).parent_path());
    fs::create_symlink(to, Path(below));
  }
  void InstallDriver() {
    Write("usr/lib64/libnvidia-ml.so.580.105.08");
    Link("usr/lib64/libnvidia-ml.so.1", "libnvidia-ml.so.580.105.08");
    Write("usr/lib64/libcuda.so.580.105.08");
    Link("usr/lib64/libcuda.so.1", "libcuda.so.580.105.08");
    Link("usr/lib64/libcuda.so", "libcuda.so.1");
    Write("usr/lib64/libnvidia-glcore.so.580.105.08");
    Write("usr/lib64/libnvidia-of-a-later-driver.so.580.105.08");
    Write("usr/lib64/libcuda.so.570.86.10");  // left by an upgrade
    Write("usr/lib64/libc.so.6");
    Write("usr/bin/nvidia-smi");
    Write("usr/share/glvnd/egl_vendor.d/10_nvidia.json");
  }
  DriverFiles InstalledFiles() {
    return FindDriverFiles({{}, {Path("nowhere"), Path("usr/lib64"), Path("usr/lib")}});
  }
  DriverFiles ByCdi(const std::string& text, unsigned mode = 0644) {
    Write("cdi/nvidia.yaml", text, mode);
    return FindDriverFiles({{Path("no-cdi"), Path("cdi")}, {Path("usr/lib64")}});
  }
  std::string CdiOf(const std::string& kind, const std::string& mounts) const {
    return "cdiVersion: \"0.5.0\"\nkind: " + kind +
           "\ndevices:\n- name: \"0\"\n  containerEdits:\n    deviceNodes:\n    - path: "
           "/dev/nvidia0\n    mounts:\n" +
           mounts + "containerEdits:\n  env: [A=b]\n  mounts:\n  - {hostPath: " +
           Path("usr/bin/nvidia-smi") + ", containerPath: /usr/bin/nvidia-smi, options: [ro]}\n";
  }
  std::string Mount(const std::string& below, const std::string& at) const {
    return "    - {hostPath: " + Path(below) + ", containerPath: " + at + "}\n";
  }

  Scratch scratch_;
};

TEST_F(DriverFilesTest, WithoutADriverThereAreNone) {
  Write("usr/lib64/libnvidia-ml.so.1");  // the simulated one of a test has no version
  EXPECT_TRUE(InstalledFiles().files.empty());
  EXPECT_EQ(InstalledFiles().source, "");
}

TEST_F(DriverFilesTest, AllLibrariesOfTheDriversVersionBelongToIt) {
  InstallDriver();
  const DriverFiles found = InstalledFiles();
  EXPECT_EQ(found.source, Path("usr/lib64"));
  const std::vector<DriverFile> expected = {
      {Kind::kProgram, Path("usr/bin/nvidia-smi"), {"nvidia-smi"}, "", false},
      {Kind::kLibrary,
       Path("usr/lib64/libcuda.so.580.105.08"),
       {"libcuda.so", "libcuda.so.1", "libcuda.so.580.105.08"},
       "",
       false},
      {Kind::kLibrary,
       Path("usr/lib64/libnvidia-glcore.so.580.105.08"),
       {"libnvidia-glcore.so.580.105.08"},
       "",
       true},
      {Kind::kLibrary,
       Path("usr/lib64/libnvidia-ml.so.580.105.08"),
       {"libnvidia-ml.so.1", "libnvidia-ml.so.580.105.08"},
       "",
       false},
      {Kind::kLibrary,
       Path("usr/lib64/libnvidia-of-a-later-driver.so.580.105.08"),
       {"libnvidia-of-a-later-driver.so.580.105.08"},
       "",
       false},
      {Kind::kOther,
       Path("usr/share/glvnd/egl_vendor.d/10_nvidia.json"),
       {},
       "/usr/share/glvnd/egl_vendor.d/10_nvidia.json",
       true}};
  EXPECT_EQ(found.files, expected);
}

TEST_F(DriverFilesTest, DebianHasSomeLibrariesAboveTheOthers) {
  Write("usr/lib/multi/nvidia/current/libnvidia-ml.so.535.247.01");
  Write("usr/lib/multi/libnvidia-glcore.so.535.247.01");
  Write("usr/lib/multi/libnvidia-glcore.so.470.1");
  Write("usr/lib/libcuda.so.535.247.01");  // of another architecture
  const DriverFiles found =
      FindDriverFiles({{}, {Path("usr/lib/multi"), Path("usr/lib/multi/nvidia/current")}});
  ASSERT_EQ(found.files.size(), 2u);
  EXPECT_EQ(found.files[0].path, Path("usr/lib/multi/libnvidia-glcore.so.535.247.01"));
  EXPECT_EQ(found.files[1].path, Path("usr/lib/multi/nvidia/current/libnvidia-ml.so.535.247.01"));
}

TEST_F(DriverFilesTest, MoreFilesThanADriverHasAreToldOf) {
  Write("usr/lib64/libnvidia-ml.so.580.105.08");
  for (size_t i = 0; i < kDriverFilesMax; ++i)
    Write("usr/lib64/libx" + std::to_string(i) + ".so.580.105.08");
  const DriverFiles found = InstalledFiles();
  EXPECT_EQ(found.files.size(), kDriverFilesMax);
  EXPECT_EQ(found.warnings.size(), 1u);
}

TEST_F(DriverFilesTest, TheSitesCdiFileComesFirst) {
  InstallDriver();
  Write("opt/libcuda.so.580.105.08");
  Link("opt/libcuda.so.1", "libcuda.so.580.105.08");
  const DriverFiles found = ByCdi(CdiOf(
      "nvidia.com/gpu", Mount("opt/libcuda.so.580.105.08", "/usr/lib64/libcuda.so.580.105.08") +
                            Mount("usr/share/glvnd/egl_vendor.d/10_nvidia.json",
                                  "/usr/share/glvnd/egl_vendor.d/10_nvidia.json")));
  EXPECT_EQ(found.source, Path("cdi/nvidia.yaml"));
  ASSERT_EQ(found.files.size(), 3u);
  EXPECT_EQ(found.files[0].path, Path("opt/libcuda.so.580.105.08"));
  EXPECT_EQ(found.files[0].names,
            (std::vector<std::string>{"libcuda.so.1", "libcuda.so.580.105.08"}));
  EXPECT_EQ(found.files[1].kind, Kind::kProgram);
  EXPECT_EQ(found.files[2].at, "/usr/share/glvnd/egl_vendor.d/10_nvidia.json");
  EXPECT_TRUE(found.files[2].is_for_graphics);
}

TEST_F(DriverFilesTest, CdiFilesOfOtherDevicesAreNoneOfTheDriver) {
  InstallDriver();
  const DriverFiles found = ByCdi(
      CdiOf("example.com/nic", Mount("usr/lib64/libcuda.so.580.105.08", "/usr/lib64/libcuda.so")));
  EXPECT_EQ(found.source, Path("usr/lib64"));
  EXPECT_TRUE(found.warnings.empty());
}

TEST_F(DriverFilesTest, DevicesSocketsAndDirectoriesOfACdiFileAreLeftOut) {
  InstallDriver();
  Write("opt/shadow");
  const DriverFiles found = ByCdi(CdiOf(
      "nvidia.com/gpu", Mount("usr/lib64", "/usr/lib64") + Mount("opt/shadow", "/dev/nvidia9") +
                            Mount("usr/lib64/libcuda.so.580.105.08", "/usr/lib64/libcuda.so") +
                            Mount("opt/shadow", "/usr/../run/persistenced/socket") +
                            Mount("opt/gone", "/usr/bin/gone") + "    - {hostPath: relative}\n" +
                            "    - text\n"));
  ASSERT_EQ(found.files.size(), 2u);
  EXPECT_EQ(found.files[0].names, (std::vector<std::string>{"nvidia-smi"}));
  EXPECT_EQ(found.files[1].path, Path("usr/lib64/libcuda.so.580.105.08"));
}

TEST_F(DriverFilesTest, ACdiFileThatUsersMayChangeDoesNotCount) {
  InstallDriver();
  const DriverFiles found = ByCdi(CdiOf("nvidia.com/gpu", ""), 0666);
  EXPECT_EQ(found.source, Path("usr/lib64"));
  EXPECT_EQ(found.warnings,
            std::vector<std::string>{Path("cdi/nvidia.yaml") +
                                     ": others than root may change this file, so it is not read"});
}

TEST_F(DriverFilesTest, ADamagedCdiFileIsNamedWithThePlace) {
  InstallDriver();
  const DriverFiles found = ByCdi("kind: [nvidia.com/gpu\n");
  EXPECT_EQ(found.source, Path("usr/lib64"));
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_TRUE(found.warnings[0].starts_with(Path("cdi/nvidia.yaml") + ":1:22:"))
      << found.warnings[0];
  EXPECT_EQ(found.warnings[0].find('\n'), std::string::npos);
}

TEST_F(DriverFilesTest, ACdiFileOfADriverThatIsGoneDoesNotCount) {
  InstallDriver();
  const DriverFiles found = ByCdi(
      CdiOf("nvidia.com/gpu", Mount("usr/lib64/libcuda.so.570.1", "/usr/lib64/libcuda.so.570.1")));
  EXPECT_EQ(found.source, Path("usr/lib64"));
  EXPECT_EQ(found.warnings,
            std::vector<std::string>{Path("cdi/nvidia.yaml") +
                                     ": the driver's libraries that it names are not there: write "
                                     "it again (nvidia-ctk cdi generate)"});
}

TEST_F(DriverFilesTest, ListsHaveALineForEachName) {
  const DriverFiles found{
      "/l",
      {},
      {{Kind::kLibrary, "/l/libcuda.so.580.1", {"libcuda.so.1", "libcuda.so.580.1"}, "", false},
       {Kind::kProgram, "/b/nvidia-smi", {"nvidia-smi"}, "", false},
       {Kind::kOther, "/e\tvil", {}, "/etc/evil", false},
       {Kind::kOther, "/s/10.json", {}, "/usr/share/10.json", true}}};
  EXPECT_EQ(DriverListOf(found, false),
            "lib\tlibcuda.so.1\t/l/libcuda.so.580.1\n"
            "lib\tlibcuda.so.580.1\t/l/libcuda.so.580.1\n"
            "bin\tnvidia-smi\t/b/nvidia-smi\n");
  EXPECT_EQ(DriverListOf(found, true), "file\t/usr/share/10.json\t/s/10.json\n");
}

}  // namespace
}  // namespace gp
