#include <benchmark/benchmark.h>

#include <map>
#include <random>

#include "baselines/paillier/evaluator.hpp"
#include "baselines/paillier/key_owner.hpp"

namespace maskbench::paillier {
namespace {

// One thread, one key a size: what a core does. Items a second is the number to compare.
struct Bench {
  explicit Bench(std::size_t bits, Blinding blinding)
      : secret(SecretKey::generate(bits)),
        pool(1),
        owner(secret, pool, blinding),
        evaluator(secret.public_key, pool, blinding),
        layout(secret.public_key, 32651) {
    std::mt19937 generator(1);
    for (auto& row : rows)
      row = {static_cast<std::int32_t>(generator() % (1 << 20)) - (1 << 19),
             static_cast<std::int32_t>(generator() % (1 << 18))};
  }

  template <Blinding kBlinding>
  static Bench& of(std::size_t bits) {
    static std::map<std::size_t, Bench> benches;
    return benches.try_emplace(bits, bits, kBlinding).first->second;
  }

  std::vector<GradientSum> open(const CipherMessage& message) const {
    const Ciphertexts received = evaluator.receive(message);
    const auto packs = owner.decrypt(evaluator.send(evaluator.pack(received, layout)));
    return layout.decode(packs, message.size());
  }

  bool holds(const CipherMessage& message, int factor) const {
    const auto sums = open(message);
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (sums[i] !=
          GradientSum{factor * std::int64_t{rows[i].g}, factor * std::int64_t{rows[i].h}})
        return false;
    return sums.size() == rows.size();
  }

  SecretKey secret;
  ThreadPool pool;
  KeyOwner owner;
  Evaluator evaluator;
  Layout layout;
  std::vector<GradientPair> rows = std::vector<GradientPair>(2 * FixedBase::kBlock);
};

template <Blinding kBlinding>
void paillier_encrypt_owner(benchmark::State& state) {
  const Bench& bench = Bench::of<kBlinding>(static_cast<std::size_t>(state.range(0)));
  const Plaintexts plain = bench.layout.encode(bench.rows);
  if (!bench.holds(bench.owner.encrypt(plain), 1)) return state.SkipWithError("wrong sums");
  for (auto _ : state) benchmark::DoNotOptimize(bench.owner.encrypt(plain).words().data());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(bench.rows.size()));
}

// Encryption with n alone is a blinding: the same number as re-randomising what leaves.
template <Blinding kBlinding>
void paillier_send(benchmark::State& state) {
  const Bench& bench = Bench::of<kBlinding>(static_cast<std::size_t>(state.range(0)));
  const Ciphertexts plain = bench.evaluator.embed(bench.layout.encode(bench.rows));
  if (!bench.holds(bench.evaluator.send(plain), 1)) return state.SkipWithError("wrong sums");
  for (auto _ : state) benchmark::DoNotOptimize(bench.evaluator.send(plain).words().data());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(bench.rows.size()));
}

Bench& usual(const benchmark::State& state) {
  return Bench::of<Blinding::half_modulus>(static_cast<std::size_t>(state.range(0)));
}

void paillier_decrypt(benchmark::State& state) {
  const Bench& bench = usual(state);
  const CipherMessage message = bench.owner.encrypt(bench.layout.encode(bench.rows));
  if (!bench.holds(message, 1)) return state.SkipWithError("wrong sums");
  for (auto _ : state) benchmark::DoNotOptimize(bench.owner.decrypt(message).magnitude(0));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(message.size()));
}

void paillier_add(benchmark::State& state) {
  const Bench& bench = usual(state);
  const Ciphertexts terms =
      bench.evaluator.receive(bench.owner.encrypt(bench.layout.encode(bench.rows)));
  Ciphertexts sums = terms;
  bench.evaluator.add(sums, terms);
  if (!bench.holds(bench.evaluator.send(sums), 2)) return state.SkipWithError("wrong sums");
  for (auto _ : state) bench.evaluator.add(sums, terms);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(bench.rows.size()));
}

void paillier_subtract(benchmark::State& state) {
  const Bench& bench = usual(state);
  const Ciphertexts terms =
      bench.evaluator.receive(bench.owner.encrypt(bench.layout.encode(bench.rows)));
  const auto nothing = bench.evaluator.subtract(terms, terms);
  if (!bench.holds(bench.evaluator.send(nothing), 0)) return state.SkipWithError("wrong sums");
  for (auto _ : state) benchmark::DoNotOptimize(bench.evaluator.subtract(terms, terms).size());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(bench.rows.size()));
}

void paillier_receive(benchmark::State& state) {
  const Bench& bench = usual(state);
  const CipherMessage message = bench.owner.encrypt(bench.layout.encode(bench.rows));
  for (auto _ : state) benchmark::DoNotOptimize(bench.evaluator.receive(message).size());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(message.size()));
}

// Items are the sums that go in.
void paillier_pack(benchmark::State& state) {
  const Bench& bench = usual(state);
  const Ciphertexts sums =
      bench.evaluator.receive(bench.owner.encrypt(bench.layout.encode(bench.rows)));
  for (auto _ : state) benchmark::DoNotOptimize(bench.evaluator.pack(sums, bench.layout).size());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(bench.rows.size()));
}

BENCHMARK(paillier_encrypt_owner<Blinding::half_modulus>)->Arg(1024)->Arg(2048)->Arg(3072);
BENCHMARK(paillier_encrypt_owner<Blinding::four_lambda>)->Arg(2048);
BENCHMARK(paillier_send<Blinding::half_modulus>)->Arg(2048);
BENCHMARK(paillier_send<Blinding::four_lambda>)->Arg(2048);
BENCHMARK(paillier_decrypt)->Arg(1024)->Arg(2048)->Arg(3072);
BENCHMARK(paillier_add)->Arg(1024)->Arg(2048)->Arg(3072);
BENCHMARK(paillier_subtract)->Arg(2048);
BENCHMARK(paillier_receive)->Arg(2048);
BENCHMARK(paillier_pack)->Arg(2048);

}  // namespace
}  // namespace maskbench::paillier
