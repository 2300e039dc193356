#include "client/cli/interruption.h"

#include <unistd.h>

#include "client/cli/command.h"
#include "client/cli/screen.h"

namespace gpusim::cli {

Interruption::Interruption() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGUSR1);  // the destructor's way to wake the thread
  pthread_sigmask(SIG_BLOCK, &signals_, &old_mask_);
  thread_ = std::thread([this] { Listen(); });
}

Interruption::~Interruption() {
  over_ = true;
  pthread_kill(thread_.native_handle(), SIGUSR1);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

void Interruption::Listen() {
  int signal = 0;
  while (sigwait(&signals_, &signal) == 0 && !over_) {
    if (signal != SIGINT) continue;
    if (cancellation_.cancelled()) {
      RestoreTerminal();
      _exit(kExitInterrupted);
    }
    cancellation_.Cancel();
  }
}

}  // namespace gpusim::cli
