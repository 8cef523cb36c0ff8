#include "harness/party/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/error.hpp"
#include "harness/exchange/channel.hpp"
#include "harness/judge/catalog.hpp"

namespace maskbench {

namespace {

LinkLimits limits_of(const PartyJob& job) {
  const auto memory = static_cast<size_t>(job.spec.masked.memory_limit);
  return {memory + (size_t{64} << 20), std::max(memory / 4, size_t{1} << 20), job.patience};
}

}  // namespace

void make_distributed(RunSpec& spec) {
  if (spec.attack.name != "none")
    throw Error("attack.name: attacks need the judge, who sees both parties; use maskbench run");
  if (method_uses(spec.method, "mode") && spec.mode != Mode::materialised)
    throw Error(
        fmt::format("mode: {} only simulates its messages; between two processes set mode: "
                    "materialised (--set mode=materialised)",
                    name_of(spec.mode)));
  if (spec.data.features > 0 || spec.data.positive_rate > 0)
    throw Error("data.features and data.positive_rate are for synthetic data; drop them");
  spec.data.content = "two parties";  // each knows its own file alone
}

void talk_with_peer(const PartyJob& job, const Talk& talk) {
  StreamLink link(job.role, connect_peer(job.endpoint), limits_of(job));
  Channel setup(job.role, link, job.spec.privacy.unit);
  const std::string_view peer = name_of(other(job.role));
  try {
    talk(link, setup);
  } catch (const PeerLeft&) {
    throw;
  } catch (const ProtocolError& error) {
    link.give_up("the other party broke the protocol");
    throw Error(fmt::format("{} broke the protocol: {} (this party's last step: {})", peer,
                            error.what(), link.last_step()));
  } catch (const std::bad_cast&) {
    link.give_up("the other party broke the protocol");
    throw Error(
        fmt::format("{} broke the protocol: a message of another element type (this party's "
                    "last step: {})",
                    peer, link.last_step()));
  } catch (const std::out_of_range&) {
    link.give_up("the other party broke the protocol");
    throw Error(fmt::format(
        "{} broke the protocol: a message that is too short (this party's last step: {})", peer,
        link.last_step()));
  } catch (...) {
    link.give_up("it failed; its own output says why");
    throw;
  }
  link.leave();
}

}  // namespace maskbench
