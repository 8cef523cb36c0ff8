# CUDA's headers are enough to run cuRAND's device generator on the host; no toolkit is needed.
find_path(MASKBENCH_CUDA_HEADERS curand_kernel.h PATHS /usr/local/cuda/include)
find_path(MASKBENCH_RANDOM123 Random123/philox.h)
if(MASKBENCH_CUDA_HEADERS)
  target_include_directories(test_kernels SYSTEM PRIVATE ${MASKBENCH_CUDA_HEADERS})
endif()
if(MASKBENCH_RANDOM123)
  target_include_directories(test_kernels SYSTEM PRIVATE ${MASKBENCH_RANDOM123})
endif()
