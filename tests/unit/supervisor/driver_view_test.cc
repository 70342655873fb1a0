#include "supervisor/image/driver_view.h"

#include <fcntl.h>

#include "files/descriptor.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

std::string DirectoryIn(const Scratch& image) {
  const Descriptor root(open(image.path().c_str(), O_PATH | O_DIRECTORY));
  return LibraryDirectoryOf(root.get());
}

TEST(DriverViewTest, LibrariesAreWhereTheImagesLoaderLooks) {
  const Scratch image;
  EXPECT_EQ(DirectoryIn(image), "/usr/lib");
  std::filesystem::create_directories(image.In("usr/lib64"));
  EXPECT_EQ(DirectoryIn(image), "/usr/lib64");
#if defined(__x86_64__)
  // Debian's images have /usr/lib64 too, in which only the loader is.
  std::filesystem::create_directories(image.In("usr/lib/x86_64-linux-gnu"));
  EXPECT_EQ(DirectoryIn(image), "/usr/lib/x86_64-linux-gnu");
#endif
}

TEST(DriverViewTest, LinksOfTheImageLeadNowhereButIntoIt) {
  const Scratch image;
  std::filesystem::create_directories(image.In("usr"));
  std::filesystem::create_directory_symlink("/tmp", image.In("usr/lib64"));
  EXPECT_EQ(DirectoryIn(image), "/usr/lib");
  std::filesystem::create_directories(image.In("tmp"));
  EXPECT_EQ(DirectoryIn(image), "/usr/lib64");
}

TEST(DriverViewTest, EachKindHasItsPlace) {
  EXPECT_EQ(ReadDriverList("lib\tlibcuda.so.1\t/l/libcuda.so.580.1\n"
                           "bin\tnvidia-smi\t/b/nvidia-smi\n"
                           "file\t/usr/share/a b.json\t/s/a b.json\n",
                           "/usr/lib64"),
            (std::vector<DriverShown>{{"/l/libcuda.so.580.1", "/usr/lib64/libcuda.so.1"},
                                      {"/b/nvidia-smi", "/usr/bin/nvidia-smi"},
                                      {"/s/a b.json", "/usr/share/a b.json"}}));
}

TEST(DriverViewTest, LinesOfALaterAgentAreLeftOut) {
  EXPECT_TRUE(ReadDriverList("", "/l").empty());
  EXPECT_TRUE(ReadDriverList("\n\n\t\t\nlib\nlib\ta\nfile\trelative\t/x\nlib\ta\trelative\n"
                             "firmware\ta\t/x\nlib\t\t/x\n",
                             "/l")
                  .empty());
}

}  // namespace
}  // namespace gp
