#include "harness/party/greeting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/base/error.hpp"
#include "harness/data/utf8.hpp"

namespace maskbench {

namespace {

using Json = nlohmann::json;

constexpr size_t kMostNameBytes = 64;  // of a training

// The peer's words are not trusted to be short or printable.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text.substr(0, 80)) out += c >= 32 && c < 127 ? c : '?';
  return out;
}

std::map<std::string, std::string> by_key(const std::string& config) {
  std::map<std::string, std::string> out;
  std::istringstream lines(config);
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find('=');
    if (equals != std::string::npos) out[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return out;
}

std::string config_difference(const std::string& ap, const std::string& pp) {
  auto of_ap = by_key(ap), of_pp = by_key(pp);
  for (const auto& [key, value] : of_pp) of_ap.try_emplace(key, "(nothing)");
  for (const auto& [key, value] : of_ap) {
    const auto found = of_pp.find(key);
    const std::string theirs = found == of_pp.end() ? "(nothing)" : found->second;
    if (value != theirs)
      return fmt::format("{} is {} at AP and {} at PP", plain(key), plain(value), plain(theirs));
  }
  return "the configs differ";
}

std::string as_text(const Greeting& g) {
  return Json{{"maskbench", g.protocol},
              {"role", name_of(g.role)},
              {"task", g.task},
              {"commit", g.commit},
              {"config", g.config},
              {"resume", g.resume},
              {"text_columns", g.text_columns},
              {"trees", g.trees},
              {"training", g.training},
              {"with", g.with}}
      .dump();
}

Greeting from_text(const std::string& text) {
  Greeting out;
  try {
    const Json json = Json::parse(text);
    out.protocol = json.at("maskbench");
    if (out.protocol != kProtocolVersion) return out;  // the rest may have another form
    const auto role = from_name<Party>(json.at("role").get<std::string>());
    if (!role) throw Error("a role that is none");
    out.role = *role;
    out.task = json.at("task");
    out.commit = json.at("commit");
    out.config = json.at("config");
    out.resume = json.at("resume");
    out.text_columns = json.at("text_columns").get<std::vector<std::string>>();
    out.trees = json.at("trees");
    out.training = json.at("training");
    out.with = json.at("with");
    if (out.training.size() > kMostNameBytes) throw Error("a name that is none");
  } catch (const std::exception&) {
    throw Error("the other party's greeting is not maskbench's; is it another program?");
  }
  return out;
}

}  // namespace

void send_text(Channel& channel, const std::string& text, const Price& price) {
  channel.send(Kind::setup, {}, std::vector<uint8_t>(text.begin(), text.end()), price);
}

std::string receive_text(Channel& channel) {
  const auto bytes = channel.receive<uint8_t>(Kind::setup);
  return {bytes.begin(), bytes.end()};
}

std::string difference(const Greeting& ap, const Greeting& pp) {
  if (ap.protocol != pp.protocol)
    return fmt::format(
        "AP speaks version {} of the protocol, PP version {}; use the same maskbench", ap.protocol,
        pp.protocol);
  if (ap.role == pp.role)
    return fmt::format("both are {}; one must have --role ap, the other --role pp",
                       name_of(ap.role));
  if (ap.task != pp.task)
    return fmt::format("AP wants to {}, PP to {}", plain(ap.task), plain(pp.task));
  if (ap.config != pp.config)
    return config_difference(ap.config, pp.config) + "; give both the same config and --set";
  if (ap.commit != pp.commit)
    return fmt::format("AP is of commit {}, PP of {}; use the same maskbench", plain(ap.commit),
                       plain(pp.commit));
  if (ap.resume != pp.resume)
    return fmt::format("{} has --resume, the other not; give it to both or to none",
                       ap.resume ? "AP" : "PP");
  // Noise that was sent once must not be sent again for other rows.
  for (const auto& [mine, theirs] : {std::pair(&ap, &pp), std::pair(&pp, &ap)}) {
    if (!mine->with.empty() && mine->with != theirs->training)
      return fmt::format("{} holds a training with another {}; take another --out for both",
                         name_of(mine->role), name_of(theirs->role));
  }
  return "";
}

void expect_text_columns(const std::vector<std::string>& wanted, const Greeting& mine,
                         const Greeting& theirs) {
  for (const std::string& name : wanted) {
    const auto has = [&](const Greeting& one) {
      return std::ranges::find(one.text_columns, name) != one.text_columns.end();
    };
    if (!has(mine) && !has(theirs))
      throw Error(
          fmt::format("data.text_columns: neither AP nor PP has a column '{}'; name one of theirs",
                      printable(name)));
  }
}

Greeting greet(Channel& channel, const Greeting& mine) {
  send_text(channel, as_text(mine), Price::not_personal("the config and the version are public"));
  Greeting theirs = from_text(receive_text(channel));
  const bool i_am_ap = mine.role == Party::ap;
  const std::string different = i_am_ap ? difference(mine, theirs) : difference(theirs, mine);
  if (!different.empty()) throw Error("the parties do not fit: " + different);
  return theirs;
}

}  // namespace maskbench
