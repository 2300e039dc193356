#include "client/cli/life_step.h"

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace gpusim::cli {
namespace {

// The options of one kind are those that were added while it was made, so members stand in this
// order.
class LifeStep : public Command {
 public:
  explicit LifeStep(CLI::App& app)
      : app_(app),
        shared_(app),
        first_of_pattern_(app.get_options().size()),
        pattern_(MakePatternStep(app, shared_)),
        first_of_board_(app.get_options().size()),
        board_(MakeBoardStep(app, shared_, name_)) {
    app.add_option("board", name_, "A resident board, instead of --pattern");
  }

  tl::expected<void, Failure> Prepare(const Settings& settings) override {
    if (auto read = shared_.Read(); !read) return read;
    if (const std::string option = GivenOfOther(); !option.empty()) {
      return WrongUsage(name_.empty() ? option + " is for a board; pass its name"
                                      : option + " is for a pattern, not for a board");
    }
    return Chosen().Prepare(settings);
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    return Chosen().Run(settings, client, options);
  }

 private:
  Command& Chosen() { return name_.empty() ? *pattern_ : *board_; }

  // The first option that belongs to the kind that is not chosen.
  std::string GivenOfOther() const {
    const auto options = static_cast<const CLI::App&>(app_).get_options();
    const std::size_t begin = name_.empty() ? first_of_board_ : first_of_pattern_;
    const std::size_t end = name_.empty() ? options.size() : first_of_board_;
    for (std::size_t i = begin; i < end; ++i) {
      if (!options[i]->empty() && !options[i]->get_positional()) return options[i]->get_name();
    }
    return "";
  }

  CLI::App& app_;
  std::string name_;
  StepOptions shared_;
  std::size_t first_of_pattern_;
  std::unique_ptr<Command> pattern_;
  std::size_t first_of_board_;
  std::unique_ptr<Command> board_;
};

}  // namespace

std::unique_ptr<Command> MakeLifeStep(CLI::App& app) { return std::make_unique<LifeStep>(app); }

}  // namespace gpusim::cli
