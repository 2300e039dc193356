// Tokens, who they stand for, and what is asked of a caller.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/access/caller_quota.h"
#include "server/access/gate.h"
#include "server/access/token_book.h"
#include "server/access/token_file.h"
#include "server/batching/mutex.h"
#include "tests/testing/temporary_directory.h"

namespace gpusim::access {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSecret[] = "an-example-of-a-token";

tl::expected<TokenBook, std::vector<std::string>> Parse(const std::string& text) {
  return TokenBook::Parse(text, "tokens");
}

TEST(TokenBookTest, FindsWhoATokenStandsFor) {
  const auto book = Parse(
      "# who   what  token\n\n"
      "alice   read  aaaaaaaaaaaaaaaa\n"
      "\tbob use bbbbbbbbbbbbbbbb#with-a-hash\r\n"
      "  # more\n"
      "root admin cccccccccccccccc\n"
      "alice read dddddddddddddddd");
  ASSERT_TRUE(book.has_value()) << book.error().front();
  EXPECT_EQ(book->size(), 4u);
  const auto who = [&](const std::string& token) {
    const auto identity = book->Find(token);
    return identity ? identity->name + " " + std::string(NameOf(identity->role)) : "nobody";
  };
  EXPECT_EQ(who("aaaaaaaaaaaaaaaa"), "alice read");
  EXPECT_EQ(who("dddddddddddddddd"), "alice read");
  EXPECT_EQ(who("bbbbbbbbbbbbbbbb#with-a-hash"), "bob use");
  EXPECT_EQ(who("cccccccccccccccc"), "root admin");
  for (const char* token : {"", "a", "aaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"})
    EXPECT_EQ(who(token), "nobody") << token;
  EXPECT_EQ(who(std::string(100'000, 'a')), "nobody");
}

TEST(TokenBookTest, EveryFaultNamesFileLineAndRule) {
  const std::string token(16, 'x');
  const auto book = Parse(
      "alice read\n"
      "alice read " +
      token +
      " more\n"
      "-a read " +
      token +
      "\n"
      "alice write " +
      token +
      "\n"
      "alice read fifteen-letters\n"
      "alice read " +
      std::string(513, 'x') +
      "\n"
      "alice read " +
      token +
      "\n"
      "bob read " +
      token +
      "\n"
      "alice use 0123456789abcdef\n"
      "alice read 0123456789abcd\xc3\xa9\n");
  ASSERT_FALSE(book.has_value());
  EXPECT_THAT(book.error(),
              ElementsAre("tokens:1: a line is NAME ROLE TOKEN, with blanks between",
                          "tokens:2: a line is NAME ROLE TOKEN, with blanks between",
                          HasSubstr("tokens:3: the name has to be 1 to 63 letters"),
                          "tokens:4: the role has to be one of read, use and admin",
                          HasSubstr("tokens:5: the token has to be 16 to 512 visible"),
                          HasSubstr("tokens:6: the token has to be 16 to 512 visible"),
                          HasSubstr("tokens:8: the token is that of line 7"),
                          HasSubstr("tokens:9: the name has another role in line 7"),
                          HasSubstr("tokens:10: the token has to be 16 to 512 visible")));
}

// Columns in another order make a token stand where a name or a role should.
TEST(TokenBookTest, NoFaultHoldsWhatMayBeAToken) {
  const std::string secret = kSecret;
  for (const std::string& line :
       {secret, secret + " read alice", "alice " + secret + " read", "alice read " + secret + " x",
        secret + "! read " + secret, "a read " + secret + "\nb read " + secret}) {
    const auto book = Parse(line + "\n");
    ASSERT_FALSE(book.has_value()) << line;
    for (const std::string& fault : book.error()) EXPECT_THAT(fault, Not(HasSubstr(secret)));
  }
}

TEST(TokenBookTest, ATextWithoutTokensIsAFault) {
  for (const char* text : {"", "\n\n", "# nothing\n"})
    EXPECT_THAT(Parse(text).error(), ElementsAre(HasSubstr("there is no token in it"))) << text;
}

TEST(TokenBookTest, HasAMostNumberOfTokens) {
  std::string text;
  for (std::size_t i = 0; i < TokenBook::kMostTokens; ++i)
    text += "a use 0123456789abcdef" + std::to_string(i) + "\n";
  EXPECT_EQ(Parse(text)->size(), TokenBook::kMostTokens);
  EXPECT_THAT(Parse(text + "b use fedcba9876543210\n").error(),
              ElementsAre("tokens:1001: there may be 1000 tokens at the most"));
}

// What a file logs, for those who wait for it.
class Lines {
 public:
  TokenFile::Log log() {
    return [this](const std::string& line) {
      const batching::MutexLock lock(mutex_);
      lines_.push_back(line);
      changed_.NotifyAll();
    };
  }
  // Waits until there are so many.
  std::vector<std::string> Await(std::size_t count) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    const batching::MutexLock lock(mutex_);
    while (lines_.size() < count && std::chrono::steady_clock::now() < give_up)
      changed_.WaitUntil(mutex_, give_up);
    return lines_;
  }

 private:
  batching::Mutex mutex_;
  batching::CondVar changed_;
  std::vector<std::string> lines_ GPUSIM_GUARDED_BY(mutex_);
};

class TokenFileTest : public ::testing::Test {
 protected:
  void Write(const std::string& text) { std::ofstream(path_) << text; }
  void Replace(const std::string& text) {
    std::ofstream(path_ + ".new") << text;
    std::filesystem::rename(path_ + ".new", path_);
  }
  tl::expected<std::unique_ptr<TokenFile>, std::string> Open() {
    return TokenFile::Open(path_, lines_.log(), milliseconds(5));
  }

  const testing::TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/tokens";
  Lines lines_;
};

TEST_F(TokenFileTest, TakesWhatChangesAndLeavesOutWhatIsBad) {
  Write("alice read aaaaaaaaaaaaaaaa\n");
  const auto file = Open();
  ASSERT_TRUE(file.has_value()) << file.error();
  EXPECT_EQ((*file)->Find("aaaaaaaaaaaaaaaa")->name, "alice");

  Replace("alice read bbbbbbbbbbbbbbbb\n");
  lines_.Await(2);
  while (!(*file)->Find("bbbbbbbbbbbbbbbb")) std::this_thread::yield();
  EXPECT_FALSE((*file)->Find("aaaaaaaaaaaaaaaa").has_value());

  Replace(std::string("alice read ") + kSecret + " and more\n");
  EXPECT_THAT(lines_.Await(3).back(), AllOf(HasSubstr("the tokens stay as they were"),
                                            HasSubstr("tokens:1: "), Not(HasSubstr(kSecret))));
  EXPECT_TRUE((*file)->Find("bbbbbbbbbbbbbbbb").has_value());

  std::filesystem::remove(path_);
  EXPECT_THAT(lines_.Await(4).back(), HasSubstr("No such file or directory"));
  EXPECT_TRUE((*file)->Find("bbbbbbbbbbbbbbbb").has_value());

  Replace("alice read cccccccccccccccc\n");
  while (!(*file)->Find("cccccccccccccccc")) std::this_thread::yield();
  EXPECT_FALSE((*file)->Find("bbbbbbbbbbbbbbbb").has_value());
}

TEST_F(TokenFileTest, AFileThatCanNotBeReadIsNamedWithTheReason) {
  EXPECT_THAT(Open().error(), AllOf(HasSubstr(path_), HasSubstr("No such file or directory")));
  Write("alice\nbob\n");
  EXPECT_THAT(Open().error(), AllOf(HasSubstr(path_ + ":1: "), HasSubstr(path_ + ":2: ")));
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_THAT(Open().error(), HasSubstr(path_));
}

TEST_F(TokenFileTest, AGateAdmitsByTokenAndRole) {
  Write("alice read aaaaaaaaaaaaaaaa\nbob use bbbbbbbbbbbbbbbb\n");
  auto file = Open();
  ASSERT_TRUE(file.has_value()) << file.error();
  Gate gate(*std::move(file), 0);
  EXPECT_EQ(gate.Admit("Bearer aaaaaaaaaaaaaaaa", "here", Role::kRead)->identity.name, "alice");
  EXPECT_EQ(gate.Admit("bEARER bbbbbbbbbbbbbbbb", "here", Role::kRead)->identity.role, Role::kUse);
  const auto denied = [&](std::optional<std::string_view> authorization, Role needed) {
    const auto admitted = gate.Admit(authorization, "here", needed);
    return admitted ? Denial{} : admitted.error();
  };
  for (const char* none : {"", "Bearer", "Bearer ", "Basic aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaa"}) {
    EXPECT_EQ(denied(none, Role::kRead).reason, Denial::Reason::kUnauthenticated) << none;
    EXPECT_THAT(denied(none, Role::kRead).message, HasSubstr("asks for a token")) << none;
  }
  EXPECT_THAT(denied(std::nullopt, Role::kRead).message, HasSubstr("asks for a token"));
  EXPECT_EQ(denied("Bearer  aaaaaaaaaaaaaaaa", Role::kRead).message,
            "the token is not known to this server");
  const Denial role = denied("Bearer aaaaaaaaaaaaaaaa", Role::kUse);
  EXPECT_EQ(role.reason, Denial::Reason::kForbidden);
  EXPECT_EQ(role.message, "this call needs the role use, and that of 'alice' is read");
  EXPECT_EQ(denied("Bearer bbbbbbbbbbbbbbbb", Role::kAdmin).reason, Denial::Reason::kForbidden);
}

TEST(GateTest, WithoutTokensEveryAddressIsAnAdmin) {
  Gate gate(nullptr, 1);
  const auto admitted = gate.Admit(std::nullopt, "10.0.0.1", Role::kAdmin);
  ASSERT_TRUE(admitted.has_value());
  EXPECT_EQ(admitted->identity.name, "10.0.0.1");
  const auto second = gate.Admit("Bearer whatever-it-may-be", "10.0.0.1", Role::kRead);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().reason, Denial::Reason::kTooManyCalls);
  EXPECT_EQ(second.error().message,
            "max-calls-per-caller is 1, and as many of '10.0.0.1' are under way");
  EXPECT_TRUE(gate.Admit(std::nullopt, "10.0.0.2", Role::kRead).has_value());
}

TEST(CallerQuotaTest, CountsWhatIsUnderWayByCaller) {
  CallerQuota quota(2);
  auto first = quota.Take("alice");
  const auto second = quota.Take("alice");
  EXPECT_TRUE(first && second);
  EXPECT_FALSE(quota.Take("alice").has_value());
  EXPECT_TRUE(quota.Take("bob").has_value());
  CallerQuota::Share moved = *std::move(first);
  EXPECT_FALSE(quota.Take("alice").has_value());
  moved = CallerQuota::Share();
  EXPECT_TRUE(quota.Take("alice").has_value());
}

TEST(CallerQuotaTest, ZeroIsNoLimit) {
  CallerQuota quota(0);
  std::vector<CallerQuota::Share> shares;
  for (int i = 0; i < 1000; ++i) shares.push_back(*quota.Take("alice"));
  EXPECT_TRUE(quota.Take("alice").has_value());
}

}  // namespace
}  // namespace gpusim::access
