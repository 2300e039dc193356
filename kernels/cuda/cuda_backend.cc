// All visible GPUs as devices. A slot is a stream, pinned columns and device columns, all made
// before the first request; CUDA's exceptions end here.
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include <cuda_runtime_api.h>

#include "kernels/backend.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/cuda_cells.h"
#include "kernels/cuda/guarded.h"
#include "kernels/cuda/handles.h"
#include "kernels/cuda/life_runner.h"
#include "kernels/cuda/odds_runner.h"
#include "kernels/cuda/race_solver.h"
#include "kernels/race_rows.h"

namespace gpusim {
namespace {

using cuda::Guarded;

class CudaSlot : public Slot {
 public:
  CudaSlot(int device, int multiprocessors, const SlotCapacity& capacity,
           const camel_up::StreamBase& warm, const camel_up::RaceRowsInUse& race_rows)
      : device_(device),
        stream_(cuda::MakeStream()),
        done_(cuda::MakeEvent()),
        race_rows_(race_rows),
        odds_(capacity, multiprocessors, warm, &pinned_, stream_),
        life_(capacity, multiprocessors, &pinned_) {}

  camel_up::OddsBatch& camel_up() override { return odds_.batch(); }
  life::StepBatch& life() override { return life_.steps(); }
  life::ResidentBatch& resident() override { return life_.residents(); }

  DeviceResult<void> RunCamelUp() override {
    if (auto rows = race_rows_.Check(odds_.batch().exact); !rows) return rows;
    return OnDevice([this] {
      using camel_up::Edition;
      odds_.Run({race_rows_.of(Edition::kFirst), race_rows_.of(Edition::kSecond)}, stream_);
    });
  }
  DeviceResult<void> RunLife() override {
    return OnDevice([this] { life_.RunSteps(stream_); });
  }
  DeviceResult<void> RunResident() override {
    return OnDevice([this] { life_.RunResidents(stream_); });
  }

 private:
  // Blocks until what `work` put on the stream is done.
  template <class Work>
  DeviceResult<void> OnDevice(const Work& work) {
    return Guarded([&] {
      cuda::CheckCuda(cudaSetDevice(device_));
      work();
      cuda::WaitFor(stream_, done_);
    });
  }

  int device_;
  cuda::PinnedMemory pinned_;  // before the columns that live in it
  cuda::Stream stream_;
  cuda::Event done_;
  const camel_up::RaceRowsInUse& race_rows_;
  cuda::OddsRunner odds_;
  cuda::LifeRunner life_;
};

// "13.0" of CUDA's 13000.
std::string VersionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// What keeps this process from the GPUs, named by what was found and what is needed; empty if
// nothing does.
std::string WhyNoGpu() {
  int driver = 0;
  int needed = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return "no NVIDIA driver found";
  cudaRuntimeGetVersion(&needed);
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess && count > 0) return {};
  cudaGetLastError();
  if (code == cudaErrorInsufficientDriver)
    return "the NVIDIA driver supports CUDA " + VersionText(driver) + ", this program needs " +
           VersionText(needed);
  return std::string("no GPU is visible: ") +
         cudaGetErrorString(code == cudaSuccess ? cudaErrorNoDevice : code);
}

// The race tables where one device reads them.
struct DeviceTables {
  camel_up::RaceRowsInUse rows;
  std::vector<cuda::DeviceMemory> memory;
};

cuda::DeviceMemory Upload(const camel_up::RaceTable& table) {
  cuda::DeviceMemory memory = cuda::MakeDeviceMemory(table.bytes());
  const cuda::Stream stream = cuda::MakeStream();  // slots' streams are not to wait
  cuda::CheckCuda(cudaMemcpyAsync(memory.get(), table.rows().data(), table.bytes(),
                                  cudaMemcpyHostToDevice, stream.get()));
  cuda::WaitFor(stream, cuda::MakeEvent());
  return memory;
}

class CudaBackend : public Backend {
 public:
  CudaBackend() {
    int count = 0;
    cuda::CheckCuda(cudaGetDeviceCount(&count));
    for (int device = 0; device < count; ++device) {
      cudaDeviceProp properties;
      cuda::CheckCuda(cudaGetDeviceProperties(&properties, device));
      devices_.push_back({properties.name, properties.totalGlobalMem, 0});
      multiprocessors_.push_back(properties.multiProcessorCount);
      tables_.push_back(std::make_unique<DeviceTables>());
      streams_.push_back(std::make_unique<cuda::StreamPool>(device));
      cuda::KeepFreedCells(device);
    }
  }

  BackendKind kind() const override { return BackendKind::kCuda; }
  const std::vector<DeviceInfo>& devices() const override { return devices_; }

  // Of an H200 (that of simulations is an estimate); a smaller GPU takes longer than 2 ms for them.
  std::uint64_t camel_up_chunk_moves() const override { return 180'000'000; }
  std::uint64_t camel_up_chunk_simulated_moves() const override { return 150'000'000; }
  // Eight generations, a pass, of 65536 x 65536 take 1.4 ms; a board of 4096 x 4096 takes 2 to 3.5 ms for its 1024.
  std::uint64_t life_chunk_word_steps() const override { return 540'000'000; }
  std::uint32_t life_chunk_generations() const override { return 1024; }
  std::uint64_t life_chunk_fill_words() const override { return 30'000'000; }

  DeviceResult<std::unique_ptr<Slot>> MakeSlot(std::size_t device, const SlotCapacity& capacity,
                                               const camel_up::StreamBase& warm) override {
    return Guarded([&]() -> std::unique_ptr<Slot> {
      cuda::CheckCuda(cudaSetDevice(static_cast<int>(device)));
      return std::make_unique<CudaSlot>(static_cast<int>(device), multiprocessors_[device],
                                        capacity, warm, tables_[device]->rows);
    });
  }

  DeviceResult<std::unique_ptr<life::DeviceCells>> MakeCells(std::size_t device,
                                                             std::uint32_t width,
                                                             std::uint32_t height) override {
    return Guarded([&]() -> std::unique_ptr<life::DeviceCells> {
      return std::make_unique<cuda::CudaCells>(device, width, height, *streams_[device]);
    });
  }
  std::optional<DeviceFault> StickyFault() const override { return cuda::StickyFaults().first(); }
  std::uint64_t FreeMemory(std::size_t device) const override {
    return Guarded([&] { return cuda::FreeForCells(static_cast<int>(device)); }).value_or(0);
  }

  DeviceResult<std::shared_ptr<const camel_up::RaceTable>> SolveRaceTable(
      camel_up::Edition edition, int, const RaceSolveWatch& watch) override {
    using Table = DeviceResult<std::shared_ptr<const camel_up::RaceTable>>;
    return Guarded([&]() -> Table { return cuda::SolveRaceTableOnGpu(edition, watch); })
        .and_then([](Table solved) { return solved; });
  }
  // Copies it either way, so the table itself may go afterwards.
  DeviceResult<void> UseRaceTable(std::shared_ptr<const camel_up::RaceTable> table,
                                  TableMemory memory) override {
    const std::lock_guard lock(tables_mutex_);
    for (const auto& device : tables_)
      if (auto unused = device->rows.CheckUnused(table->edition()); !unused) return unused;
    return Guarded([&] {
      if (memory == TableMemory::kHost) {
        ShareOnHost(*table);
      } else {
        CopyToDevices(*table);
      }
    });
  }

 private:
  // Page-locked memory has one address, on the host and on all devices.
  void ShareOnHost(const camel_up::RaceTable& table) {
    cuda::HostMemory memory = cuda::MakeHostMemory(table.bytes());
    std::memcpy(memory.get(), table.rows().data(), table.bytes());
    for (const auto& device : tables_) Publish(*device, table.edition(), memory.get());
    host_tables_.push_back(std::move(memory));
  }

  // To all devices before any of them uses it.
  void CopyToDevices(const camel_up::RaceTable& table) {
    std::vector<cuda::DeviceMemory> copies;
    for (std::size_t device = 0; device < tables_.size(); ++device) {
      cuda::CheckCuda(cudaSetDevice(static_cast<int>(device)));
      copies.push_back(Upload(table));
    }
    for (std::size_t device = 0; device < tables_.size(); ++device) {
      Publish(*tables_[device], table.edition(), copies[device].get());
      tables_[device]->memory.push_back(std::move(copies[device]));
    }
  }

  static void Publish(DeviceTables& tables, camel_up::Edition edition, const void* rows) {
    tables.rows.Publish(edition, static_cast<const camel_up::RaceRow*>(rows));
  }

  std::vector<DeviceInfo> devices_;
  std::vector<int> multiprocessors_;
  std::mutex tables_mutex_;
  std::vector<std::unique_ptr<DeviceTables>> tables_;  // by device
  std::vector<cuda::HostMemory> host_tables_;
  std::vector<std::unique_ptr<cuda::StreamPool>> streams_;  // by device
};

}  // namespace

DeviceResult<std::unique_ptr<Backend>> MakeCudaBackend() {
  // Kernels are loaded with the context, not at their first launch, which would be a request.
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  if (std::string why = WhyNoGpu(); !why.empty())
    return tl::unexpected(DeviceFault{std::move(why)});
  return Guarded([]() -> std::unique_ptr<Backend> { return std::make_unique<CudaBackend>(); });
}

}  // namespace gpusim
