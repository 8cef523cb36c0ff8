find_package(hwy REQUIRED CONFIG)
target_link_libraries(test_kernels PRIVATE hwy::hwy)  # to choose among the processor's SIMD targets
# CUDA's headers are enough to run cuRAND's device generator on the host; no toolkit is needed.
find_path(MASKBENCH_CUDA_HEADERS curand_kernel.h PATHS /usr/local/cuda/include)
find_path(MASKBENCH_RANDOM123 Random123/philox.h)
if(MASKBENCH_CUDA_HEADERS)
  target_include_directories(test_kernels SYSTEM PRIVATE ${MASKBENCH_CUDA_HEADERS})
endif()
# Thrust's host backends, from CUDA's toolkit or Debian's libthrust-dev.
find_path(MASKBENCH_CCCL thrust/scan.h PATHS /usr/local/cuda/include/cccl /usr/include)
if(MASKBENCH_CCCL)
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/cccl_test.cpp PROPERTIES
    COMPILE_OPTIONS "-isystem;${MASKBENCH_CCCL}"
    COMPILE_DEFINITIONS "THRUST_HOST_SYSTEM=THRUST_HOST_SYSTEM_CPP;THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP")
endif()
if(MASKBENCH_RANDOM123)
  target_include_directories(test_kernels SYSTEM PRIVATE ${MASKBENCH_RANDOM123})
endif()

# The CUDA sources run on the host as fibres.
add_library(mb_cuda_on_host STATIC ${CMAKE_CURRENT_LIST_DIR}/cuda_on_host/fibres.cpp
  ${CMAKE_CURRENT_LIST_DIR}/cuda_on_host/lanes.cpp ${CMAKE_CURRENT_LIST_DIR}/cuda_on_host/memory.cpp)
target_link_libraries(mb_cuda_on_host PUBLIC mb_flags)
target_sources(test_kernels PRIVATE ${CMAKE_CURRENT_LIST_DIR}/cuda_on_host/shim.cpp)
target_link_libraries(test_kernels PRIVATE mb_cuda_on_host)

# ctest -L gpu: the conformance suite on the device, skipped where there is none.
add_test(NAME kernels_on_device COMMAND test_kernels --gtest_filter=*cuda_device*)
set_tests_properties(kernels_on_device PROPERTIES LABELS gpu SKIP_REGULAR_EXPRESSION "SKIPPED")
find_program(MASKBENCH_COMPUTE_SANITIZER compute-sanitizer PATHS /usr/local/cuda/bin)
foreach(tool memcheck racecheck initcheck synccheck)
  if(MASKBENCH_WITH_CUDA AND MASKBENCH_COMPUTE_SANITIZER)
    add_test(NAME kernels_under_${tool} COMMAND ${MASKBENCH_COMPUTE_SANITIZER} --tool ${tool}
      --error-exitcode 1 $<TARGET_FILE:test_kernels> --gtest_filter=*cuda_device*)
  else()
    add_test(NAME kernels_under_${tool} COMMAND ${CMAKE_COMMAND} -E echo
      "SKIPPED: this build has no CUDA backend, or compute-sanitizer is not installed")
  endif()
  set_tests_properties(kernels_under_${tool} PROPERTIES LABELS gpu SKIP_REGULAR_EXPRESSION "SKIPPED")
endforeach()

# No kernel may spill registers; and the check must see it when they do.
find_program(MASKBENCH_NVCC nvcc PATHS /usr/local/cuda/bin)
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME SassBudget.counts_as_by_hand COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/sass_test.py)
endif()
if(MASKBENCH_NVCC AND Python3_FOUND)
  set(ptxas_report ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/ptxas_report.py ${MASKBENCH_NVCC}
    ${CMAKE_CURRENT_LIST_DIR}/../..)
  add_test(NAME SassBudget.no_kernel_spills COMMAND ${ptxas_report})
  add_test(NAME SassBudget.a_spill_is_seen COMMAND ${ptxas_report} -DMASKBENCH_SPILL)
  set_tests_properties(SassBudget.a_spill_is_seen PROPERTIES
    PASS_REGULAR_EXPRESSION "registers are spilled by")
  # Instructions a cell; and a rise must be seen.
  set(sass_budget ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/sass_budget.py ${MASKBENCH_NVCC}
    ${CMAKE_CURRENT_LIST_DIR}/../..)
  add_test(NAME SassBudget.sm_80 COMMAND ${sass_budget} --arch 80)
  add_test(NAME SassBudget.sm_90 COMMAND ${sass_budget} --arch 90)
  add_test(NAME SassBudget.a_rise_is_seen COMMAND ${sass_budget} --arch 80 --budget noise=90 --budget rank_sums=40)
  set_tests_properties(SassBudget.a_rise_is_seen PROPERTIES
    PASS_REGULAR_EXPRESSION "above the budget: noise on sm_80: .*, rank_sums on sm_80")
  set_tests_properties(SassBudget.sm_80 SassBudget.sm_90 SassBudget.a_rise_is_seen PROPERTIES SKIP_RETURN_CODE 77)
endif()
