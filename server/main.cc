// gpusim-server: a process round a Server. Exit status 0 after SIGTERM or SIGINT, 1 if it can not
// start, 2 for wrong usage.
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include <fcntl.h>
#include <pthread.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "server/config/server_options.h"
#include "server/logging.h"
#include "server/race/race_tables.h"
#include "server/server.h"

namespace {

using gpusim::server::Server;

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

// Every thread inherits it, so that only AwaitStop gets them; hence before the first thread.
void BlockStopSignals() {
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A reader of stdout that has gone is no reason to stop serving.
  std::signal(SIGPIPE, SIG_IGN);
}

// Afterwards a second signal ends the process at once, as it does any other.
int AwaitStop() {
  const sigset_t signals = StopSignals();
  int received = 0;
  sigwait(&signals, &received);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  return received;
}

// For scripts and people: the addresses are served from now on.
void PrintAddresses(const Server& server) {
  for (const std::string& address : server.addresses())
    std::printf("listening on %s\n", address.c_str());
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

  auto backend = gpusim::server::MakeBackend(*options, *log);
  if (options->build_race_table != 0) return BuildRaceTable(*options, backend);
  auto server = std::move(backend).and_then([&](std::unique_ptr<gpusim::Backend> chosen) {
    return Server::Start(*options, std::move(chosen), log);
  });
  if (!server) {
    log->error("{}", server.error());
    return 1;
  }

  PrintAddresses(**server);
  log->info("serving");
  log->info("stopping: got signal {}", AwaitStop());
  (*server)->Drain(options->drain_time);
  log->info("stopped");
  return 0;
}
