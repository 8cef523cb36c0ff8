#include "tests/kernels/cuda_on_host/shim.hpp"

#include "tests/kernels/cuda_on_host/host_device.hpp"

namespace maskbench::kernels {

std::unique_ptr<Backend> shim_backend() {
  return std::make_unique<device::DeviceBackend<device::HostDevice>>(device::HostDevice());
}

void run_warps_backward(bool backward) {
  run_in(backward ? cuda_on_host::Order::kBackward : cuda_on_host::Order::kForward);
}

void check_tiles_of_shim(size_t tiles) {
  device::check_tiles(tiles);
}

std::vector<uint32_t> scan_of_shim(const std::vector<uint32_t>& values) {
  device::HostDevice shim;
  const auto in = shim.allocate<uint32_t>(values.size());
  const auto out = shim.allocate<uint32_t>(values.size());
  std::vector<uint32_t> sums(values.size());
  shim.copy_in(in.data(), std::span(values));
  shim.exclusive_scan(in.data(), out.data(), values.size());
  shim.copy_out(out.data(), std::span(sums));
  shim.finish();
  return sums;
}

std::vector<uint32_t> partition_of_shim(const std::vector<uint32_t>& rows,
                                        const std::vector<uint64_t>& bits) {
  device::HostDevice shim;
  device::DeviceLevel<device::HostDevice, device::DefaultKernels> level(shim);
  const std::vector<uint8_t> bins(rows.size());
  const FeatureBins layout[] = {{0, 0, 1, false}};
  const uint32_t offsets[] = {0, 1};
  std::vector<uint32_t> left, right, out(rows.size());
  for (uint32_t row : rows) (bits[row / 64] >> (row % 64) & 1 ? left : right).push_back(row);
  level.bind({{bins, 1}, layout, offsets}, 2);
  level.begin({0, 0, {{0, -1, rows}}, {}});
  level.begin({0, 1, {{1, 0, left}, {2, 0, right}}, bits});
  shim.copy_out(level.rows(), std::span(out));
  shim.finish();
  return out;
}

std::unique_ptr<Backend> limited_shim_backend(size_t bytes, size_t* refusals) {
  auto memory = std::make_shared<cuda_on_host::Memory>();
  memory->limit = bytes;
  memory->refusals = refusals;
  return std::make_unique<device::DeviceBackend<device::HostDevice>>(device::HostDevice(memory));
}

}  // namespace maskbench::kernels
