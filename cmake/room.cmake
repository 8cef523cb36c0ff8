# mb_room(name libraries...): the sources of this folder as the library mb_<name>. What a room may include
# is what it links; tests/rooms_test.py checks the includes themselves.
function(mb_room name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(MB_ROOM_LEAVE_OUT)
    list(FILTER sources EXCLUDE REGEX "${MB_ROOM_LEAVE_OUT}")
  endif()
  add_library(mb_${name} STATIC ${sources})
  target_link_libraries(mb_${name} PUBLIC ${ARGN})
  set_target_properties(mb_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 0)  # in a unity build: the whole room at once
endfunction()

# mb_optimise(target level): for rooms whose loops are not hot, where the compiler's -O3 is build time for nothing. The results
# are the same at any level.
function(mb_optimise target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
endfunction()
