#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace maskbench::fuzz {

// One reader of bytes that a stranger wrote. An Error is an answer; anything else that leaves it,
// and a promise that does not hold (`must`), ends the process.
using Target = void (*)(std::string_view bytes);

void config(std::string_view bytes);    // a YAML config and its expansion
void setting(std::string_view bytes);   // the value of --set, the value of --shard
void csv(std::string_view bytes);       // a data set; its first byte chooses the options
void gz(std::string_view bytes);        // the same, compressed
void model(std::string_view bytes);     // ap.json, a line "==", pp.json
void results(std::string_view bytes);   // the file of a run
void manifest(std::string_view bytes);  // manifest.json
void frame(std::string_view bytes);     // frames of the channel, one after another
void link(std::string_view bytes);      // the same as a peer's end of a connection
void paillier(std::string_view bytes);  // keys and messages; its first byte chooses what

const std::map<std::string, Target>& targets();

inline void must(bool promise) {
  if (!promise) __builtin_trap();
}

inline void is_for_people(std::string_view text) {
  must(!text.empty() && std::ranges::all_of(text, [](char c) { return c >= 32 && c < 127; }));
}

// A file in memory that holds the bytes; the path is good until the next call.
std::string in_memory(std::string_view bytes);

}  // namespace maskbench::fuzz
