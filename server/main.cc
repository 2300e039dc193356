// gpusim-server: a process round a Server. Exit status 0 after SIGTERM or SIGINT, 1 if it can not
// start, 2 for wrong usage, 3 when a device is lost, 4 when one hangs, 5 when the stop takes too long.
//
//   thread of signals --+--> Endings --> main: Drain ---------> 0
//   watch of devices  --+        |
//                                +-----> guard: a loss -------> 3 or 4, at once, whatever main is in
//                                               the time -----> 5
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <pthread.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "server/config/server_options.h"
#include "server/device/device_watch.h"
#include "server/endings.h"
#include "server/logging.h"
#include "server/race/race_tables.h"
#include "server/server.h"

namespace {

using gpusim::server::DeviceLoss;
using gpusim::server::Endings;
using gpusim::server::Server;

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

// Every thread inherits it, so that only ListenForSignals gets them; hence before the first thread.
void BlockStopSignals() {
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A reader of stdout that has gone is no reason to stop serving.
  std::signal(SIGPIPE, SIG_IGN);
}

// Writes a line, and waits for that for a second at the most.
void LogSoon(const std::shared_ptr<spdlog::logger>& log, spdlog::level::level_enum level,
             const std::string& line) {
  auto written = std::make_shared<std::promise<void>>();
  std::future<void> done = written->get_future();
  std::thread([log, level, line, written] {
    log->log(level, line);
    log->flush();
    written->set_value();
  }).detach();
  done.wait_for(std::chrono::seconds(1));
}

// The first signal asks for a stop, the second one ends the process at once, as it does any other.
void ListenForSignals(Endings& endings, const std::shared_ptr<spdlog::logger>& log) {
  const sigset_t signals = StopSignals();
  int received = 0;
  sigwait(&signals, &received);
  // Said afterwards: who reads the log may have stopped, and hold us up.
  endings.Stop(received);
  LogSoon(log, spdlog::level::info, "stopping: got signal " + std::to_string(received));
  sigwait(&signals, &received);
  LogSoon(log, spdlog::level::warn, "stopping at once: got signal " + std::to_string(received));
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  std::raise(received);
}

// The device can not be used any more, and a thread that waits for it not be joined: so nothing is destroyed.
[[noreturn]] void EndWithoutDevice(const DeviceLoss& loss, Server& server,
                                   const std::shared_ptr<spdlog::logger>& log) {
  server.Abandon();
  const int status = StatusOf(loss.how);
  LogSoon(log, spdlog::level::critical,
          "ending with status " + std::to_string(status) + ": " + loss.what);
  std::_Exit(status);
}

std::chrono::milliseconds LongestStop(const gpusim::server::ServerOptions& options,
                                      const Server& server) {
  return options.drain_time + std::chrono::seconds(5) + server.PredictSaving();
}

// Bounds the stop, which `longest` of is left: by then the process has ended, whatever keeps it.
void GuardStop(Endings& endings, std::chrono::milliseconds longest, Server& server,
               const std::shared_ptr<spdlog::logger>& log) {
  const auto deadline = std::chrono::steady_clock::now() + longest;
  endings.AwaitStage(Endings::Stage::kDrained, deadline);
  std::string left = "its parts";
  if (!endings.reached(Endings::Stage::kDrained) && endings.ClaimServer()) {
    if (const auto loss = endings.loss()) EndWithoutDevice(*loss, server, log);
    left = server.DescribeWhatIsLeft();
  } else {
    endings.AwaitStage(Endings::Stage::kEnded, deadline);
    if (endings.reached(Endings::Stage::kEnded)) return;
  }
  LogSoon(log, spdlog::level::critical,
          "ending with status " + std::to_string(gpusim::server::kStopTooLong) +
              ": not stopped within " + gpusim::server::FormatDuration(longest) + ": " + left);
  std::_Exit(gpusim::server::kStopTooLong);
}

// For scripts and people: the addresses are served from now on.
void PrintAddresses(const Server& server) {
  for (const std::string& address : server.addresses())
    std::printf("listening on %s\n", address.c_str());
  if (!server.probe_address().empty())
    std::printf("probes on %s\n", server.probe_address().c_str());
  if (!server.metrics_address().empty())
    std::printf("metrics on %s\n", server.metrics_address().c_str());
  std::fflush(stdout);
}

int ExitWith(const gpusim::server::ParseExit& exit) {
  std::FILE* const stream = exit.status == 0 ? stdout : stderr;
  const bool written = std::fputs(exit.text.c_str(), stream) >= 0 && std::fflush(stream) == 0;
  return written || exit.status != 0 ? exit.status : 1;
}

// A standard descriptor that was closed would be the next one that gRPC opens, and what is printed
// would go there. Each closed one is opened the wrong way round, so that reading or writing it goes
// on failing.
void OccupyClosedStandardDescriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) == -1)
      open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// Ends at a signal as other programs do.
int BuildRaceTable(const gpusim::server::ServerOptions& options,
                   const tl::expected<std::unique_ptr<gpusim::Backend>, std::string>& backend) {
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  const auto built = backend ? gpusim::server::BuildRaceTable(
                                   static_cast<gpusim::camel_up::Edition>(options.build_race_table),
                                   options, **backend)
                             : tl::unexpected(backend.error());
  if (built) return 0;
  std::fprintf(stderr, "gpusim-server: %s\n", built.error().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  OccupyClosedStandardDescriptors();
  const auto options = gpusim::server::ParseServerOptions(argc, argv);
  if (!options) return ExitWith(options.error());

  BlockStopSignals();
  const auto log = gpusim::server::MakeLogger(options->log_level, options->log_format);
  gpusim::server::TakeLibraryLogs(log);
  log->info("gpusim-server {}", gpusim::server::Version());
  for (const std::string& name : gpusim::server::UnknownVariables(environ))
    log->warn("the environment has {}, which is no flag of this server", name);

  auto backend = gpusim::server::MakeBackend(*options, *log);
  if (options->build_race_table != 0) return BuildRaceTable(*options, backend);
  static Endings endings;  // threads that are not joined know it
  auto server = std::move(backend).and_then([&](std::unique_ptr<gpusim::Backend> chosen) {
    return Server::Start(*options, std::move(chosen), log,
                         [](const DeviceLoss& loss) { endings.Lose(loss); });
  });
  if (!server) {
    log->error("{}", server.error());
    return gpusim::server::kCannotStart;
  }

  PrintAddresses(**server);
  log->info("serving");
  std::thread(ListenForSignals, std::ref(endings), log).detach();
  endings.AwaitWish();
  Server& serving = **server;
  if (const auto loss = endings.loss()) EndWithoutDevice(*loss, serving, log);
  const auto longest = LongestStop(*options, serving);
  std::thread guard([&] { GuardStop(endings, longest, serving, log); });
  serving.Drain(options->drain_time);
  if (!endings.ClaimServer()) guard.join();  // which ends the process
  endings.Reach(Endings::Stage::kDrained);
  server->reset();
  endings.Reach(Endings::Stage::kEnded);
  guard.join();
  if (const auto loss = endings.loss()) return StatusOf(loss->how);
  log->info("stopped");
  return gpusim::server::kStopped;
}
