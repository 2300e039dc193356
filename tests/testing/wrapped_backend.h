// A backend that does what another one does, for tests to change one thing of it.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/backend.h"

namespace gpusim::testing {

class WrappedBackend : public Backend {
 public:
  explicit WrappedBackend(std::unique_ptr<Backend> inner) : inner_(std::move(inner)) {}

  BackendKind kind() const override { return inner_->kind(); }
  const std::vector<DeviceInfo>& devices() const override { return inner_->devices(); }
  std::uint64_t camel_up_chunk_moves() const override { return inner_->camel_up_chunk_moves(); }
  std::uint64_t camel_up_chunk_simulated_moves() const override {
    return inner_->camel_up_chunk_simulated_moves();
  }
  std::uint64_t life_chunk_word_steps() const override { return inner_->life_chunk_word_steps(); }
  std::uint32_t life_chunk_generations() const override { return inner_->life_chunk_generations(); }
  std::uint64_t life_chunk_fill_words() const override { return inner_->life_chunk_fill_words(); }
  DeviceResult<std::unique_ptr<life::DeviceCells>> MakeCells(std::size_t device,
                                                             std::uint32_t width,
                                                             std::uint32_t height) override {
    return inner_->MakeCells(device, width, height);
  }
  std::optional<DeviceFault> StickyFault() const override { return inner_->StickyFault(); }
  std::uint64_t FreeMemory(std::size_t device) const override { return inner_->FreeMemory(device); }
  DeviceResult<std::unique_ptr<Slot>> MakeSlot(std::size_t device, const SlotCapacity& capacity,
                                               const camel_up::StreamBase& warm) override {
    return inner_->MakeSlot(device, capacity, warm);
  }
  DeviceResult<std::shared_ptr<const camel_up::RaceTable>> SolveRaceTable(
      camel_up::Edition edition, int threads, const RaceSolveWatch& watch) override {
    return inner_->SolveRaceTable(edition, threads, watch);
  }
  DeviceResult<void> UseRaceTable(std::shared_ptr<const camel_up::RaceTable> table,
                                  TableMemory memory) override {
    return inner_->UseRaceTable(std::move(table), memory);
  }

 private:
  std::unique_ptr<Backend> inner_;
};

}  // namespace gpusim::testing
