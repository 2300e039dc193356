// Race tables as files: what is written comes back, anything else is refused in one line.
#include "kernels/race/race_table_file.h"

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/testing/camel_up_cases.h"

namespace gpusim::camel_up {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class RaceTableFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "race_table_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = RaceTablePath(folder_, Edition::kFirst);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Write() { ASSERT_TRUE(WriteRaceTable(path_, *table_).has_value()); }

  // The file's bytes after `change`.
  void Change(std::size_t at, const void* bytes, std::size_t size) {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
    ASSERT_TRUE(file.flush().good());
  }
  void FlipBit(std::size_t at) {
    std::ifstream file(path_, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char flipped = static_cast<char>(file.get() ^ 0x10);
    Change(at, &flipped, 1);
  }

  // Refused in one line that names the file.
  std::string WhyRefused(Edition edition = Edition::kFirst) {
    const auto opened = OpenRaceTable(path_, edition);
    if (opened) return "not refused";
    EXPECT_THAT(opened.error().what, HasSubstr(path_));
    EXPECT_EQ(opened.error().what.find('\n'), std::string::npos);
    EXPECT_FALSE(opened.error().missing);
    return opened.error().what;
  }

  bool HasWhatWasWritten() {
    const auto opened = OpenRaceTable(path_, Edition::kFirst);
    return opened && (*opened)->rows().size() == table_->rows().size() &&
           std::memcmp((*opened)->rows().data(), table_->rows().data(), table_->bytes()) == 0;
  }

  std::size_t FilesInFolder() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  std::shared_ptr<const RaceTable> table_ = testing::MakeSyntheticTable(Edition::kFirst);
  std::string folder_;
  std::string path_;
};

TEST_F(RaceTableFile, ComesBackAsItWas) {
  Write();
  EXPECT_TRUE(HasWhatWasWritten());
  EXPECT_EQ(FilesInFolder(), 1u);
  EXPECT_EQ(fs::file_size(path_), 4096 + 15'504 * 168);
  Write();  // over the old one
  EXPECT_TRUE(HasWhatWasWritten());
}

TEST_F(RaceTableFile, IsNamedByItsEdition) {
  EXPECT_EQ(RaceTablePath("/var/lib", Edition::kFirst), "/var/lib/race_table_first_edition.gpusim");
  EXPECT_EQ(RaceTablePath("/var/lib/", Edition::kSecond),
            "/var/lib/race_table_second_edition.gpusim");
}

TEST_F(RaceTableFile, StaysReadableWhileItIsReplaced) {
  Write();
  const auto opened = OpenRaceTable(path_, Edition::kFirst).value();
  Write();
  EXPECT_EQ(std::memcmp(opened->rows().data(), table_->rows().data(), table_->bytes()), 0);
}

TEST_F(RaceTableFile, SaysThatThereIsNone) {
  const auto opened = OpenRaceTable(path_, Edition::kFirst);
  ASSERT_FALSE(opened.has_value());
  EXPECT_TRUE(opened.error().missing);
  EXPECT_THAT(opened.error().what, HasSubstr(path_));
}

// Every byte of the page counts, the zeros behind the fields too.
TEST_F(RaceTableFile, RefusesAnyDamageToTheHeader) {
  for (std::size_t at = 0; at < kRaceHeaderBytes; at += at < sizeof(RaceFileHeader) ? 1 : 509) {
    Write();
    FlipBit(at);
    const std::string why = WhyRefused();
    if (at < 8)
      EXPECT_THAT(why, HasSubstr("does not begin as a race table"));
    else if (at < 12)
      EXPECT_THAT(why, HasSubstr("version"));
    else
      EXPECT_THAT(why, HasSubstr("damaged")) << "byte " << at;
  }
}

// A header that is whole, but another program's or another edition's.
TEST_F(RaceTableFile, RefusesForeignHeadersFieldByField) {
  struct Field {
    std::size_t at;
    std::size_t size;
    const char* named;
  };
  const Field fields[] = {
      {offsetof(RaceFileHeader, edition), 4, "edition is 77, expected 1"},
      {offsetof(RaceFileHeader, shapes), 8, "number of shapes is 77, expected 15504"},
      {offsetof(RaceFileHeader, row_bytes), 4, "size of a row is 77, expected 168"},
      {offsetof(RaceFileHeader, joint_unit_bits), 4, "unit of the chances is 77, expected 40"},
      {offsetof(RaceFileHeader, legs_unit_bits), 4, "unit of the legs is 77, expected 37"},
      {offsetof(RaceFileHeader, header_bytes), 4, "size of the header is 77, expected 4096"},
      {offsetof(RaceFileHeader, rows_checksum), 8, "checksum of its rows"}};
  for (const Field& field : fields) {
    Write();
    constexpr std::uint64_t kWrong = 77;
    std::array<std::byte, kRaceHeaderBytes> page;
    std::ifstream(path_, std::ios::binary)
        .read(reinterpret_cast<char*>(page.data()), kRaceHeaderBytes);
    constexpr std::size_t kSum = offsetof(RaceFileHeader, header_checksum);
    std::memcpy(&page[field.at], &kWrong, field.size);
    std::memset(&page[kSum], 0, sizeof(std::uint64_t));
    const std::uint64_t sum = RaceChecksum(page);
    std::memcpy(&page[kSum], &sum, sizeof sum);
    Change(0, page.data(), page.size());
    EXPECT_THAT(WhyRefused(), HasSubstr(field.named));
  }
}

TEST_F(RaceTableFile, RefusesTheOtherEdition) {
  Write();
  EXPECT_THAT(WhyRefused(Edition::kSecond), HasSubstr("edition is 1, expected 2"));
}

TEST_F(RaceTableFile, RefusesOneFlippedBitAnywhereInTheRows) {
  for (std::size_t row_byte : {std::size_t{0}, std::size_t{167}, table_->bytes() / 2 + 3,
                               table_->bytes() - 33, table_->bytes() - 1}) {
    Write();
    FlipBit(kRaceHeaderBytes + row_byte);
    EXPECT_THAT(WhyRefused(), HasSubstr("damaged"));
  }
}

TEST_F(RaceTableFile, RefusesAWrongSize) {
  const std::size_t whole = kRaceHeaderBytes + table_->bytes();
  for (std::size_t size : {std::size_t{0}, std::size_t{55}, kRaceHeaderBytes - 1, kRaceHeaderBytes,
                           whole - 1, whole + 1}) {
    Write();
    fs::resize_file(path_, size);
    EXPECT_THAT(WhyRefused(), HasSubstr("size is " + std::to_string(size) + ", expected " +
                                        std::to_string(whole)));
  }
}

TEST_F(RaceTableFile, RefusesWhatIsNoFile) {
  fs::create_directory(path_);
  EXPECT_THAT(WhyRefused(), HasSubstr("no regular file"));
  fs::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(WhyRefused(), HasSubstr("no regular file"));
}

TEST_F(RaceTableFile, SaysWhyItCannotBeWritten) {
  const auto written = WriteRaceTable(folder_ + "/nowhere/table", *table_);
  ASSERT_FALSE(written.has_value());
  EXPECT_THAT(written.error().what, HasSubstr("/nowhere/table: cannot be written: No such file"));
}

// A limit on the size of files acts as a full disk does, in the middle of a write.
void LimitFiles(rlim_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
}

TEST_F(RaceTableFile, LeavesNothingBehindOnAFullDisk) {
  Write();
  const auto ignored = signal(SIGXFSZ, SIG_IGN);
  LimitFiles(1'000'000);
  const auto written = WriteRaceTable(path_, *table_);
  LimitFiles(RLIM_INFINITY);
  signal(SIGXFSZ, ignored);
  ASSERT_FALSE(written.has_value());
  EXPECT_THAT(written.error().what, HasSubstr("cannot be written: File too large"));
  EXPECT_EQ(FilesInFolder(), 1u);
  EXPECT_TRUE(HasWhatWasWritten());
}

// The process is killed in the middle of a write.
TEST_F(RaceTableFile, ACrashLeavesTheOldFile) {
  Write();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    signal(SIGXFSZ, SIG_DFL);
    const rlimit no_core{};
    setrlimit(RLIMIT_CORE, &no_core);
    LimitFiles(1'000'000);
    (void)WriteRaceTable(path_, *table_);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the child was to be killed while it wrote";
  EXPECT_TRUE(HasWhatWasWritten());
}

}  // namespace
}  // namespace gpusim::camel_up
