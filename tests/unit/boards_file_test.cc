// Boards as files: what is damaged, foreign or too large is refused by name and left alone; what is written is whole.
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "server/boards/board_file.h"
#include "tests/testing/board_store_test.h"

namespace gpusim::boards {
namespace {

using Reason = BoardError::Reason;
using std::chrono::seconds;
namespace fs = std::filesystem;

using Content = std::vector<char>;

Content ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void WriteFile(const std::string& path, const Content& content) {
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
}

// Makes a header's checksum right again, so that what is behind it is looked at.
void Reseal(Content& content) {
  BoardHeaderBytes bytes;
  std::memcpy(bytes.data(), content.data(), bytes.size());
  constexpr std::size_t kAt = offsetof(BoardFileHeader, header_checksum);
  std::memset(bytes.data() + kAt, 0, sizeof(std::uint64_t));
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes.size() / 8; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i * 8, 8);
    // The documented mix, once more.
    std::uint64_t z = word ^ ((i + 1) * 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    sum += z ^ (z >> 31);
  }
  std::memcpy(content.data() + kAt, &sum, sizeof sum);
}

class FileTest : public BoardStoreTest {
 protected:
  FileTest() { UseStateDir(); }
  std::string SnapshotPath(const std::string& name) const {
    return dir_ + "/snapshots/" + name + ".snapshot";
  }
  std::string BoardPath(const std::string& id) const { return dir_ + "/boards/" + id + ".board"; }
  // A board with a snapshot "s" of generation 12.
  void MakeSnapshot() {
    Create("a", Soup(70, 40));
    Run("a", To(12));
    const auto saved = Snapshot("a", "s");
    ASSERT_TRUE(saved.has_value()) << saved.error().message;
    EXPECT_EQ(saved->generation, 12u);
    EXPECT_EQ(saved->bytes, 256u + 40 * 2 * 8);
    EXPECT_EQ(fs::file_size(SnapshotPath("s")), saved->bytes);
  }
  void ExpectRefused(const Content& content, const std::string& why) {
    WriteFile(SnapshotPath("s"), content);
    const auto restored = Restore("s", "r");
    ASSERT_FALSE(restored.has_value()) << why;
    EXPECT_NE(restored.error().message.find("s.snapshot"), std::string::npos)
        << restored.error().message;
    EXPECT_NE(restored.error().message.find(why), std::string::npos) << restored.error().message;
    EXPECT_EQ(ReadFile(SnapshotPath("s")), content) << "left alone";
    EXPECT_EQ(store_->use().boards, 1u);
    EXPECT_EQ(store_->use().memory_bytes, 2u * 40 * 2 * 8) << "nothing is kept of it";
  }
};

TEST_F(FileTest, SnapshotComesBackWithItsCellsAndItsGeneration) {
  Open();
  MakeSnapshot();
  Run("a", To(50));
  const auto restored = Restore("s", "r");
  ASSERT_TRUE(restored.has_value()) << restored.error().message;
  EXPECT_EQ(restored->generation, 12u);
  EXPECT_EQ(Cells("r"), After(Soup(70, 40), 12));
  EXPECT_EQ(Run("r", To(50)).error, "");
  EXPECT_EQ(Cells("r"), Cells("a"));
  EXPECT_EQ(Restore("s", "r").error().reason, Reason::kExists);
  EXPECT_EQ(Restore("t", "u").error().reason, Reason::kUnknown);
  EXPECT_EQ(Restore("../boards/a", "u").error().reason, Reason::kBadInput);
}

TEST_F(FileTest, SnapshotsHaveNamesOfTheirOwn) {
  Open();
  MakeSnapshot();
  EXPECT_EQ(Snapshot("a", "s").error().reason, Reason::kExists);
  EXPECT_TRUE(Snapshot("a", "s", true).has_value());
  EXPECT_EQ(Snapshot("a", "../s").error().reason, Reason::kBadInput);
  const auto unnamed = Snapshot("a", "");
  ASSERT_TRUE(unnamed.has_value());
  EXPECT_EQ(unnamed->name, "a-12");
  const auto listed = *store_->ListSnapshots("", 10);
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed[0].name, "a-12");
  EXPECT_EQ(listed[1].name, "s");
  EXPECT_EQ(store_->ListSnapshots("a-12", 10)->size(), 1u);
  EXPECT_EQ(store_->use().state_bytes, listed[0].bytes + listed[1].bytes);
  Answer<SnapshotInfo> deleted;
  store_->DeleteSnapshot("s", deleted.done());
  EXPECT_TRUE(deleted.Get().has_value());
  EXPECT_FALSE(fs::exists(SnapshotPath("s")));
  Answer<SnapshotInfo> again;
  store_->DeleteSnapshot("s", again.done());
  EXPECT_EQ(again.Get().error().reason, Reason::kUnknown);
}

TEST_F(FileTest, DamageOfEveryFieldOfTheHeaderIsRefused) {
  Open();
  MakeSnapshot();
  const Content good = ReadFile(SnapshotPath("s"));
  // Every byte of the header, its padding too.
  for (std::size_t at = 0; at < kBoardHeaderBytes; ++at) {
    Content bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    ExpectRefused(bad, at < 8 ? "does not begin" : at < 12 ? "version" : "damaged");
  }
  // With the checksum in order, the numbers themselves.
  struct Damage {
    std::size_t at;
    std::uint32_t value;
    const char* why;
  };
  for (const Damage& damage : std::vector<Damage>{
           {offsetof(BoardFileHeader, header_bytes), 128, "size of the header"},
           {offsetof(BoardFileHeader, width), 0, "a side"},
           {offsetof(BoardFileHeader, height), 0, "a side"},
           {offsetof(BoardFileHeader, width), 4'294'967'295u, "the size is"},
           {offsetof(BoardFileHeader, height), 4'294'967'295u, "the size is"},
           {offsetof(BoardFileHeader, height), 39, "the size is"},
           {offsetof(BoardFileHeader, rule_masks), 1u << 9, "the rule"},
           {offsetof(BoardFileHeader, rule_masks), 1u << 31, "the rule"},
           {offsetof(BoardFileHeader, topology), 2, "the topology"},
           {offsetof(BoardFileHeader, topology), 0x0401, "the cause"},
           {offsetof(BoardFileHeader, topology), 0x0001, "the cause"},
           {offsetof(BoardFileHeader, lease_s) + 4, 0xffffffff, "a time"},
           {offsetof(BoardFileHeader, autosave_s) + 4, 0xffffffff, "a time"},
           {offsetof(BoardFileHeader, board_created_ms) + 4, 0xffffffff, "a date"},
           {offsetof(BoardFileHeader, written_ms) + 4, 0xffffffff, "a date"},
           {offsetof(BoardFileHeader, board_id), 0x2f2e2e, "no name"},
           {offsetof(BoardFileHeader, board_id), 0, "no name"},
           {offsetof(BoardFileHeader, board_id) + 60, 1, "no name"},
           {offsetof(BoardFileHeader, creator), 0x2f2e2e, "creator is no name"},
           {offsetof(BoardFileHeader, creator) + 60, 1, "creator is no name"},
           {offsetof(BoardFileHeader, words_checksum), 5, "checksum of its cells"}}) {
    Content bad = good;
    std::memcpy(bad.data() + damage.at, &damage.value, sizeof damage.value);
    Reseal(bad);
    ExpectRefused(bad, damage.why);
  }
}

TEST_F(FileTest, DamageAnywhereAndTruncationAreRefused) {
  Open();
  MakeSnapshot();
  const Content good = ReadFile(SnapshotPath("s"));
  std::mt19937_64 random(8);
  for (int round = 0; round < 200; ++round) {
    Content bad = good;
    const std::size_t at = random() % bad.size();
    bad[at] = static_cast<char>(bad[at] ^ (1 << (random() % 8)));
    ExpectRefused(bad, "s.snapshot");
  }
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{255}, std::size_t{256}, good.size() - 1}) {
    Content cut = good;
    cut.resize(size);
    ExpectRefused(cut, "the size is");
  }
  Content longer = good;
  longer.push_back(0);
  ExpectRefused(longer, "the size is");
  // A cell beyond the end of a row, with all sums in order, would break every engine.
  Content padded = good;
  padded[kBoardHeaderBytes + 15] = 1;
  ExpectRefused(padded, "beyond the ends");
  WriteFile(SnapshotPath("s"), good);
  EXPECT_TRUE(Restore("s", "r").has_value());
}

// A child that dies at each step of writing over a snapshot, as by a crash: the old one is whole, or the new one.
TEST_F(FileTest, KillInTheMiddleOfASnapshotLeavesTheOldOneWhole) {
  Open();
  MakeSnapshot();
  const Content old = ReadFile(SnapshotPath("s"));
  auto cells = *backend_->MakeCells(0, 70, 40);
  const life::Board other = Soup(70, 40, 9);
  ASSERT_TRUE(
      cells->Write({.y = 0, .rows = 40, .word = 0, .words = 2}, other.words.data()).has_value());
  BoardFileFacts facts;
  facts.board_id = "a";
  facts.shape = {.width = 70, .height = 40};
  bool replaced = false;
  for (int dies_at = 0; !replaced; ++dies_at) {
    ASSERT_LT(dies_at, 20);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int step = 0;
      const auto written = WriteBoardFile(SnapshotPath("s"), facts, *cells, [&](FileStep) {
        if (step++ == dies_at) kill(getpid(), SIGKILL);
        return 0;
      });
      _exit(written ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    replaced = WIFEXITED(status);
    const Content now = ReadFile(SnapshotPath("s"));
    if (now != old) {
      const auto opened = BoardFile::Open(SnapshotPath("s"));
      ASSERT_TRUE(opened.has_value()) << opened.error().what;
      EXPECT_TRUE(opened->ReadInto(*cells).has_value());
    }
  }
  EXPECT_NE(ReadFile(SnapshotPath("s")), old);
  // What the dead left is cleared away at the next start.
  const auto leftovers = [&] {
    int count = 0;
    for (const auto& file : fs::directory_iterator(dir_ + "/snapshots"))
      if (IsLeftover(file.path().filename().string())) ++count;
    return count;
  };
  EXPECT_GT(leftovers(), 0);
  Reopen();
  EXPECT_EQ(leftovers(), 0);
  EXPECT_EQ(store_->ListSnapshots("", 10)->size(), 1u);
}

TEST_F(FileTest, FullDiskFailsTheSnapshotAndLeavesTheOldOne) {
  FileStep fails = FileStep::kSyncFolder;
  int error = 0;
  hook_ = [&](FileStep step) { return step == fails ? error : 0; };
  Open();
  MakeSnapshot();
  const Content old = ReadFile(SnapshotPath("s"));
  const std::uint64_t used = store_->use().state_bytes;
  Run("a", To(20));
  for (const FileStep step :
       {FileStep::kCreate, FileStep::kWrite, FileStep::kSync, FileStep::kRename}) {
    fails = step;
    for (const int errors : {ENOSPC, EIO}) {
      error = errors;
      const auto saved = Snapshot("a", "s", true);
      ASSERT_FALSE(saved.has_value());
      EXPECT_EQ(saved.error().reason, errors == ENOSPC ? Reason::kNoRoom : Reason::kDevice);
      EXPECT_NE(saved.error().message.find("s.snapshot"), std::string::npos);
      EXPECT_EQ(ReadFile(SnapshotPath("s")), old);
      EXPECT_EQ(store_->use().state_bytes, used);
    }
  }
  error = 0;
  EXPECT_TRUE(Snapshot("a", "s", true).has_value());
  int files = 0;
  for ([[maybe_unused]] const auto& file : fs::directory_iterator(dir_ + "/snapshots")) ++files;
  EXPECT_EQ(files, 1) << "no temporaries";
}

TEST_F(FileTest, StateBudgetIsCheckedBeforeAnythingIsWritten) {
  options_.max_state_bytes = 1000;
  Open();
  MakeSnapshot();  // 896 bytes
  const auto saved = Snapshot("a", "t");
  ASSERT_FALSE(saved.has_value());
  EXPECT_EQ(saved.error().reason, Reason::kNoRoom);
  EXPECT_NE(saved.error().message.find("needs 896 bytes"), std::string::npos)
      << saved.error().message;
  EXPECT_NE(saved.error().message.find("104 bytes"), std::string::npos) << saved.error().message;
  EXPECT_TRUE(Snapshot("a", "s", true).has_value()) << "in place of the old one it fits";
}

TEST_F(FileTest, SecondServerOnADirectoryIsRefused) {
  Open();
  StoreOptions options = options_;
  BoardStore second(
      options, *backend_, *scheduler_, [](const std::string&) {}, clock_);
  const auto started = second.Start();
  ASSERT_FALSE(started.has_value());
  EXPECT_NE(started.error().find(dir_), std::string::npos) << started.error();
  EXPECT_NE(started.error().find("another server"), std::string::npos) << started.error();
}

TEST_F(FileTest, WithoutADirectoryFilesAreOff) {
  options_.state_dir.clear();
  Open();
  Create("a", Soup(8, 8));
  EXPECT_EQ(Snapshot("a", "s").error().reason, Reason::kOff);
  EXPECT_EQ(Restore("s", "r").error().reason, Reason::kOff);
  EXPECT_EQ(store_->ListSnapshots("", 1).error().reason, Reason::kOff);
  store_->Drain();
}

TEST_F(FileTest, DrainAndRestartBringAllBack) {
  Open();
  const life::Board soup = Soup(70, 40);
  BoardStore::NewBoardWishes wishes;
  wishes.lease = seconds(777);
  wishes.autosave_every = seconds(33);
  wishes.shape.topology = life::Topology::kPlane;
  wishes.shape.rule = testing::PlainRule("B36/S23");
  Create("still", soup, wishes);
  Create("running", Soup(64, 64));
  Fork("running", "forked");
  BoardStore::NewBoardWishes unsaved;
  unsaved.autosave_every = seconds(0);
  Create("never-saved", Soup(9, 9), unsaved);
  device_.Hold();
  const auto run = Start("running", To(1'000'000));
  RunWishes queued = To(2'000'000);
  queued.queue = true;
  const auto waiting = Start("running", queued);
  device_.AwaitHeld();
  std::thread opener([&] {
    Await([&] { return !TryCreate("late", Soup(8, 8)).has_value(); });
    device_.ReleaseAll();
  });
  Reopen();
  opener.join();
  EXPECT_EQ(run->AwaitEnd().reason, StopReason::kDraining);
  EXPECT_EQ(waiting->AwaitEnd().reason, StopReason::kDraining);
  const auto generation = static_cast<std::uint32_t>(run->AwaitEnd().generation);
  EXPECT_GT(generation, 0u);
  std::vector<std::string> ids;
  for (const BoardStatus& status : store_->List("", 10))
    if (status.id != "late") ids.push_back(status.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"forked", "never-saved", "running", "still"}));
  EXPECT_EQ(Cells("running"), After(Soup(64, 64), generation));
  EXPECT_EQ(store_->Get("running")->generation, generation);
  EXPECT_EQ(Cells("forked"), Soup(64, 64));
  EXPECT_EQ(Cells("still"), soup);
  const BoardStatus still = *store_->Get("still");
  EXPECT_EQ(still.lease, seconds(777));
  EXPECT_EQ(still.autosave_every, seconds(33));
  EXPECT_EQ(still.shape.topology, life::Topology::kPlane);
  EXPECT_EQ(still.shape.rule, wishes.shape.rule);
  EXPECT_EQ(still.saved_generation, still.generation);
}

TEST_F(FileTest, DrainedStoreRefusesWhatComes) {
  Open();
  Create("a", Soup(8, 8));
  store_->Drain();
  EXPECT_EQ(TryCreate("b", Soup(8, 8)).error().reason, Reason::kDraining);
  EXPECT_EQ(RunError("a", To(5))->reason, Reason::kDraining);
  EXPECT_EQ(Write("a", {}).error().reason, Reason::kDraining);
  EXPECT_EQ(Fork("a", "c").error().reason, Reason::kDraining);
  EXPECT_EQ(Snapshot("a", "s").error().reason, Reason::kDraining);
  EXPECT_EQ(Restore("s", "r").error().reason, Reason::kDraining);
  EXPECT_EQ(Delete("a").error().reason, Reason::kDraining);
  EXPECT_TRUE(store_->Get("a").has_value());
}

TEST_F(FileTest, DamagedBoardDoesNotStopTheServerAndKeepsItsFile) {
  Open();
  Create("good", Soup(70, 40));
  Create("bad", Soup(70, 40));
  store_->Drain();
  store_.reset();
  scheduler_.reset();
  Content content = ReadFile(BoardPath("bad"));
  content.back() = static_cast<char>(content.back() ^ 1);
  content[kBoardHeaderBytes] = static_cast<char>(content[kBoardHeaderBytes] ^ 1);
  WriteFile(BoardPath("bad"), content);
  WriteFile(BoardPath("renamed"), ReadFile(BoardPath("good")));
  WriteFile(dir_ + "/boards/notes.txt", {'h', 'i'});
  Open();
  EXPECT_TRUE(store_->Get("good").has_value());
  const auto bad = store_->Get("bad");
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().reason, Reason::kUnknown);
  EXPECT_NE(bad.error().message.find("bad.board"), std::string::npos) << bad.error().message;
  EXPECT_NE(log().find("renamed.board: is of board good"), std::string::npos) << log();
  EXPECT_NE(log().find("notes.txt"), std::string::npos);
  EXPECT_EQ(TryCreate("bad", Soup(8, 8)).error().reason, Reason::kExists) << "its file stays";
  store_->Drain();
  EXPECT_EQ(ReadFile(BoardPath("bad")), content);
}

}  // namespace
}  // namespace gpusim::boards
