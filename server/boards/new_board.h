// What the store hands out besides boards themselves.
#pragma once

#include <functional>
#include <memory>

#include "server/boards/board.h"

namespace gpusim::boards {

std::unique_ptr<NewBoard> MakeNewBoard(
    std::shared_ptr<Board> board,
    std::function<Result<void>(const std::shared_ptr<Board>&)> publish,
    std::function<void()> give_up);
std::unique_ptr<LeaseHold> MakeLeaseHold(std::shared_ptr<Board> board);
std::shared_ptr<StagedRows> MakeStagedRows(MemoryBudget::Share share,
                                           std::unique_ptr<life::DeviceCells> cells);

}  // namespace gpusim::boards
