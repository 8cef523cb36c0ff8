#include "kernels/backend.hpp"

// Built where the CUDA backend is not (kernels/cuda/backend_cuda.cu defines the same functions).
namespace maskbench::kernels {

std::string cuda_missing() {
  return "backend cuda: this maskbench was built without CUDA; build with the cuda preset or use "
         "backend: cpu";
}

int cuda_devices() {
  return 0;
}

std::unique_ptr<Backend> cuda_backend(int) {
  throw KernelError(cuda_missing());
}

}  // namespace maskbench::kernels
