# NvtxRanges.*: a training heard by a small NVTX tool; skipped where NVTX's headers are not installed.
if(MASKBENCH_NVTX_HEADERS)
  add_library(nvtx_injection MODULE ${CMAKE_CURRENT_LIST_DIR}/injection.cpp)
  target_compile_options(nvtx_injection PRIVATE -isystem ${MASKBENCH_NVTX_HEADERS})
endif()
foreach(test trees_and_levels one_domain_and_registered_strings every_range_ends results_are_the_same_without_a_tool)
  if(MASKBENCH_NVTX_HEADERS)
    add_test(NAME NvtxRanges.${test} COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/nvtx_test.py
      $<TARGET_FILE:maskbench> $<TARGET_FILE:nvtx_injection> ${test})
  else()
    add_test(NAME NvtxRanges.${test} COMMAND ${CMAKE_COMMAND} -E echo "SKIPPED: NVTX's headers (nvtx3) are not installed")
    set_tests_properties(NvtxRanges.${test} PROPERTIES SKIP_REGULAR_EXPRESSION SKIPPED)
  endif()
endforeach()
