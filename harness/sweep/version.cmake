# Run at every build: writes OUT with the version and the newest commit that touched the code (not
# the documents or configs), and touches the file only if they changed.
set(code kernels harness baselines attacks cmake CMakeLists.txt)
execute_process(COMMAND git -C ${SOURCE} log -1 --format=%h --abbrev=12 -- ${code}
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit unknown)
endif()
execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no -- ${code}
  OUTPUT_VARIABLE changes ERROR_QUIET)
if(changes)
  string(APPEND commit "-dirty")
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT [[
#include "harness/sweep/machine.hpp"
namespace maskbench {
const char* version() { return "@VERSION@"; }
const char* git_commit() { return "@commit@"; }
}  // namespace maskbench
]] @ONLY)
