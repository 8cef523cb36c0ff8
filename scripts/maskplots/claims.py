"""The paper's claims by number, each with the function that judges it from the rows."""
from . import claims_attack, claims_cost, claims_theory, claims_utility
from .verdict import TRAINED_AT as TRAINED
from .verdict import Claim, Scale, run_command

BOTH = f"{run_command('fig-utility')} && {run_command('fig-utility-equal')}"
SPREAD = f"{BOTH} && {run_command('tab-variance')}"
UTILITY = claims_utility.CONFIGS
WHOLE = Scale(whole=True)

CLAIMS = [
    Claim("U1", "masked's AUC is above xgb-ldp's and fedxgb-ldp's at every eps_AP on all six datasets",
          claims_utility.u1, BOTH, UTILITY, TRAINED),
    Claim("U2", "masked's AUC grows with eps_AP and comes close to nonprivate", claims_utility.u2, BOTH, UTILITY, TRAINED),
    Claim("U3", "the LDP methods fluctuate and gain little even at eps_AP = 8", claims_utility.u3, SPREAD, UTILITY, TRAINED),
    Claim("U4", "masked equals federboost at eps_AP = .5 on credit1 and adult but is more stable; above it "
                "for larger eps_AP", claims_utility.u4, SPREAD, UTILITY, TRAINED),
    Claim("U5", "federboost does not depend on eps_AP and is very unstable", claims_utility.u5, SPREAD, UTILITY, TRAINED),
    Claim("U6", "masked's training is stable, AUC rises over rounds; its spread over runs shrinks as eps_AP grows",
          claims_utility.u6, SPREAD, UTILITY, TRAINED),
    Claim("U7", "fedxgb-ldp is less disturbed than xgb-ldp, and worse than masked for want of hessians",
          claims_utility.u7, run_command("fig-convergence"), UTILITY, TRAINED),
    Claim("U8", "masked's utility improves with eps_PP; convergence is fast whatever eps_PP is",
          claims_utility.u8, run_command("fig-ablation"), ("fig-ablation",), TRAINED),
    Claim("U9", "utility depends on C and sigma2, not on sigma1",
          claims_theory.u9,
          f"{run_command('tab-deviation')}; ctest --test-dir build -R Deviation.sigma1", ("tab-deviation",)),
    Claim("T1", "theorem 1: Pr(score off by alpha or more) <= U(alpha, kappa), U -> 0 as kappa -> 0",
          claims_theory.t1,
          f"{run_command('fig-utility')}; ctest --test-dir build -R Theorem1",
          UTILITY),
    Claim("T2", "theorem 2: every message of AP is (eps_AP, delta_AP)-LDP", claims_theory.t2,
          run_command("fig-label-attack"),
          ("fig-label-attack", "tab-audit")),
    Claim("T3", "theorem 3: every B_i is (eps_PP, delta_PP)-DP; delta_PP grows with sigma1^2/sigma2^2",
          claims_theory.t3, run_command("fig-delta-pp"),
          ("fig-delta-pp", "tab-audit")),
    Claim("T4", "active and inactive noise are lossless: m'u = m'v = 0",
          claims_theory.t4, f"{run_command('tab-deviation')}; ctest --test-dir build -R Noise.active_sum",
          ("tab-deviation",)),
    Claim("T5", "with the advanced composition the whole training meets the stated budgets", claims_theory.t5,
          run_command("fig-utility", " --set privacy.reading=[paper,equal,sound]"),
          UTILITY),
    Claim("E1", "masked is 4.82x (adult) to 6.72x (nomao) faster a tree than Paillier", claims_cost.e1,
          run_command("tab-efficiency"), ("tab-efficiency",), WHOLE),
    Claim("E2", "masked is slower than the other DP methods but of their order; its cost grows with the number "
                "of features", claims_cost.e2, f"{run_command('tab-efficiency')} && {run_command('fig-scaling')}",
          ("tab-efficiency", "fig-scaling")),
    Claim("E3", "bytes a node: 2n+l, (lW+2l)n+l, (2n+2l) ciphertexts", claims_cost.e3,
          run_command("tab-communication"), ("tab-communication",)),
    Claim("E4", "finding kernel vectors makes SMM slow", claims_cost.e4, run_command("tab-efficiency"),
          ("tab-efficiency",), WHOLE),
    Claim("A1", "label inference reaches about .51 at a strict budget and gains slightly when it is relaxed",
          claims_attack.a1, run_command("fig-label-attack"), ("fig-label-attack",)),
    Claim("A2", "attribute inference never exceeds .6 bit match, .52 at a strict budget", claims_attack.a2,
          run_command("fig-attribute-attack"), ("fig-attribute-attack",)),
    Claim("A3", "deviating from the protocol never helps to attack the other party", claims_attack.a3,
          run_command("tab-deviation"), ("tab-deviation",)),
    Claim("A4", "Paillier protects AP only; PP's features leak to AP", claims_attack.a4,
          run_command("fig-attribute-attack", " --set method=paillier"),
          ("fig-attribute-attack", "tab-attacks")),
    Claim("G1", "the method carries over to gradient-only GBDT", claims_utility.g1, run_command("gbdt"), ("gbdt",)),
]


def judge_all(results):
    """[(claim, finding)] in the order of the list."""
    return [(claim, claim.judge(results)) for claim in CLAIMS]
