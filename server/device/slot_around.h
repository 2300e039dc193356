// A slot that does what another one does, with something round every batch.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "kernels/backend.h"

namespace gpusim::server {

class SlotAround : public Slot {
 public:
  explicit SlotAround(std::unique_ptr<Slot> inner) : inner_(std::move(inner)) {}

  camel_up::OddsBatch& camel_up() override { return inner_->camel_up(); }
  life::StepBatch& life() override { return inner_->life(); }
  life::ResidentBatch& resident() override { return inner_->resident(); }
  DeviceResult<void> RunCamelUp() override {
    return Around([this] { return inner_->RunCamelUp(); });
  }
  DeviceResult<void> RunLife() override {
    return Around([this] { return inner_->RunLife(); });
  }
  DeviceResult<void> RunResident() override {
    return Around([this] { return inner_->RunResident(); });
  }

 protected:
  using RunBatch = std::function<DeviceResult<void>()>;

 private:
  // `run` runs the batch on the inner slot.
  virtual DeviceResult<void> Around(const RunBatch& run) = 0;

  const std::unique_ptr<Slot> inner_;
};

}  // namespace gpusim::server
