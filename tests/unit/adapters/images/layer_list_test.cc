#include "adapters/outbound/images/layer_list.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "adapters/outbound/images/image_answers.h"
#include "adapters/outbound/images/layer_process.h"
#include "files/layer_marks.h"
#include "lib/secrets/secrets.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

std::string InAnotherProcess(const std::function<std::string()>& run) {
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = run();
    _exit(write(ends[1], text.data(), text.size()) < 0 ? 1 : 0);
  }
  close(ends[1]);
  std::string text(64 << 10, '\0');
  const ssize_t count = read(ends[0], text.data(), text.size());
  text.resize(count > 0 ? static_cast<size_t>(count) : 0);
  waitpid(child, nullptr, 0);
  close(ends[0]);
  return text;
}

class ListOfALayer : public testing::Test {
 protected:
  ListOfALayer() {
    fs::create_directories(root_ + "/usr/bin");
    fs::create_directories(root_ + "/var/empty");
    Write("usr/bin/tool", "content");
    Write("usr/last", "x");
    Write("zero", "");
    fs::create_symlink("bin/tool", root_ + "/usr/link");
  }

  void Write(const std::string& path, const std::string& text) const {
    std::ofstream(root_ + "/" + path) << text;
  }
  Descriptor Root() const {
    return Descriptor(open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  std::string List() const {
    std::string list;
    const Status made = MakeList(Root(), [&](std::string_view piece) {
      list += piece;
      return true;
    });
    EXPECT_TRUE(made) << made.error().message;
    return list;
  }
  LayerLook Compare(const std::string& list) const {
    std::ofstream(scratch_.In("list")) << list;
    const Descriptor file(open(scratch_.In("list").c_str(), O_RDONLY | O_CLOEXEC));
    const auto look = CompareWithList(Root(), file, "sha256:" + Sha256(list));
    EXPECT_TRUE(look) << look.error().message;
    return look.value_or(LayerLook{});
  }
  // "path what" of the first difference after the change; empty: none.
  std::string After(const std::function<void()>& change) const {
    const std::string list = List();
    change();
    const LayerLook look = Compare(list);
    return look.what.empty() ? "" : look.path + " " + look.what;
  }

  Scratch scratch_;
  const std::string root_ = scratch_.In("root");
};

TEST_F(ListOfALayer, NothingDiffersWithoutAChange) {
  const LayerLook look = Compare(List());
  EXPECT_EQ(look.what, "");
  EXPECT_EQ(look.path, "");
  EXPECT_EQ(look.files, 8);
  EXPECT_EQ(look.bytes, 8);
}

TEST_F(ListOfALayer, AFileWithSeveralNamesIsReadOnce) {
  for (int i = 0; i < 20; ++i)
    std::filesystem::create_hard_link(root_ + "/usr/bin/tool", root_ + "/link" + std::to_string(i));
  const std::string list = List();
  const LayerLook look = Compare(list);
  EXPECT_EQ(look.what, "");
  EXPECT_EQ(look.files, 28);
  EXPECT_EQ(look.bytes, 8);
  std::filesystem::remove(root_ + "/link7");
  std::ofstream(root_ + "/link7") << "else";
  EXPECT_EQ(Compare(list).path, "link7");
}

TEST_F(ListOfALayer, TimesMeanNothing) {
  EXPECT_EQ(After([this] {
              const timespec times[] = {{1, 0}, {1, 0}};
              utimensat(AT_FDCWD, (root_ + "/usr/bin/tool").c_str(), times, 0);
            }),
            "");
}

TEST_F(ListOfALayer, EachKindOfChangeIsFound) {
  const std::string tool = root_ + "/usr/bin/tool";
  EXPECT_EQ(After([&] { Write("usr/bin/tool", "contend"); }), "usr/bin/tool has other content");
  EXPECT_EQ(After([&] { Write("usr/bin/tool", "longer content"); }),
            "usr/bin/tool has another size");
  EXPECT_EQ(After([&] { chmod(tool.c_str(), 0600); }), "usr/bin/tool has another mode");
  EXPECT_EQ(After([&] { fs::remove(tool); }), "usr/bin/tool is missing");
  EXPECT_EQ(After([&] { Write("usr/bin/a", ""); }), "usr/bin/a is not of the layer");
  EXPECT_EQ(After([&] { Write("usr/zz", ""); }), "usr/zz is not of the layer");
  EXPECT_EQ(After([&] { fs::remove(root_ + "/zero"); }), "zero is missing");
  EXPECT_EQ(After([&] { fs::remove(root_ + "/var/empty"); }), "var/empty is missing");
  EXPECT_EQ(After([&] {
              fs::remove(root_ + "/usr/link");
              fs::create_symlink("bin/fool", root_ + "/usr/link");
            }),
            "usr/link leads elsewhere");
  EXPECT_EQ(After([&] {
              fs::remove(root_ + "/usr/last");
              fs::create_directory(root_ + "/usr/last");
            }),
            "usr/last has another type");
  EXPECT_EQ(After([&] { chmod((root_ + "/usr").c_str(), 0700); }), "usr has another mode");
  EXPECT_EQ(After([&] { chmod(root_.c_str(), 0700); }), ". has another mode");
}

TEST_F(ListOfALayer, OwnersAndMarksOfAnOverlayAreFound) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  EXPECT_EQ(After([&] { lchown((root_ + "/usr/link").c_str(), 7, 8); }),
            "usr/link has another owner");
  const std::string usr = root_ + "/usr";
  ASSERT_TRUE(HideContentInLowerLayers(usr.c_str()));
  EXPECT_EQ(After([&] { removexattr(usr.c_str(), "user.overlay.opaque"); }),
            "usr has other attributes");
  EXPECT_EQ(After([&] { setxattr(usr.c_str(), "user.note", "b", 1, 0); }),
            "usr has other attributes");
  const std::string removed = root_ + "/removed";
  ASSERT_TRUE(HideInLowerLayers(removed.c_str()));
  EXPECT_EQ(After([&] {
              unlink(removed.c_str());
              Write("removed", "");
            }),
            "removed has another type");
}

TEST_F(ListOfALayer, AListThatIsItselfDamagedIsFound) {
  std::string list = List();
  const std::string digest = "sha256:" + Sha256(list);
  list[list.size() / 2] ^= 1;
  std::ofstream(scratch_.In("list")) << list;
  const Descriptor file(open(scratch_.In("list").c_str(), O_RDONLY | O_CLOEXEC));
  const auto look = CompareWithList(Root(), file, digest);
  ASSERT_TRUE(look);
  EXPECT_EQ(look->what, "has a list of files that is itself damaged");
}

TEST_F(ListOfALayer, WithoutAListFilesAreOnlyRead) {
  const auto look = CompareWithList(Root(), Descriptor(), "");
  ASSERT_TRUE(look);
  EXPECT_EQ(look->what, "");
  EXPECT_EQ(look->files, 8);
}

TEST_F(ListOfALayer, NamesMayHaveAnyByte) {
  Write("with space", "1");
  Write("with\nline", "2");
  Write("\xff\xfe", "3");
  EXPECT_EQ(Compare(List()).what, "");
  EXPECT_EQ(After([&] { Write("with\nline", "3"); }), "with\nline has other content");
}

TEST_F(ListOfALayer, NoLinkIsFollowedAndNoSpecialFileIsOpened) {
  fs::create_directory(scratch_.In("outside"));
  std::ofstream(scratch_.In("outside/secret")) << "secret";
  fs::create_directory_symlink(scratch_.In("outside"), root_ + "/out");
  ASSERT_EQ(mkfifo((root_ + "/pipe").c_str(), 0600), 0);  // to open it would wait for ever
  const std::string list = List();
  EXPECT_EQ(list.find("secret"), std::string::npos);
  EXPECT_EQ(Compare(list).what, "");
}

TEST_F(ListOfALayer, DirectoriesMayBeDeeperThanPathsAndDescriptors) {
  Descriptor at = Root();
  const std::string name(200, 'd');
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(mkdirat(at.get(), name.c_str(), 0755), 0);
    at = Descriptor(openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ASSERT_GE(Descriptor(openat(at.get(), "end", O_CREAT | O_WRONLY | O_CLOEXEC, 0600)).get(), 0);
  const std::string list = List();
  EXPECT_EQ(Compare(list).files, 209);
  ASSERT_EQ(unlinkat(at.get(), "end", 0), 0);
  EXPECT_TRUE(Compare(list).path.ends_with("/end"));
}

TEST_F(ListOfALayer, ConfinedProcessesMayDoAllThatItTakes) {
  if (geteuid() != 0) GTEST_SKIP() << "confinement needs root";
  ASSERT_TRUE(HideContentInLowerLayers((root_ + "/usr").c_str()));
  ASSERT_TRUE(HideInLowerLayers((root_ + "/removed").c_str()));
  chmod((root_ + "/usr/last").c_str(), 0);
  EXPECT_EQ(lchown((root_ + "/usr/last").c_str(), 1'234, 1'234), 0);
  const std::string list = InAnotherProcess([this] {
    std::string text;
    const Status made = ListLayer(Root(), [&](std::string_view piece) {
      text += piece;
      return true;
    });
    return made ? text : made.error().message;
  });
  ASSERT_EQ(list, List());
  std::ofstream(scratch_.In("list")) << list;
  const auto look = [&] {
    return ReadLayerLook(InAnotherProcess([&] {
      const Descriptor file(open(scratch_.In("list").c_str(), O_RDONLY | O_CLOEXEC));
      return AnswerText(LookAtLayer(Root(), file, "sha256:" + Sha256(list)));
    }));
  };
  ASSERT_TRUE(look()) << look().error().message;
  EXPECT_EQ(look()->what, "");
  EXPECT_EQ(look()->files, 9);
  Write("usr/bin/tool", "contend");
  EXPECT_EQ(look()->path, "usr/bin/tool");
}

TEST_F(ListOfALayer, WhoTakesNoMoreEndsIt) {
  const Status made = MakeList(Root(), [](std::string_view) { return false; });
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kInternal);
}

}  // namespace
}  // namespace gp
