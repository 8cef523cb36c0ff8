"""Which config draws what. A config of another name gets the automatic figure."""
from . import (fig_ablation, fig_attack, fig_audit, fig_auto, fig_communication, fig_convergence, fig_delta_pp,
               fig_deviation, fig_efficiency, fig_utility, fig_variance, style)

BUILDERS = {
    "fig-utility": fig_utility.build,
    "fig-utility-message": fig_utility.build,
    "fig-utility-equal": fig_utility.build,
    "fig-utility-sound": fig_utility.build,
    "fig-convergence": fig_convergence.build,
    "tab-variance": fig_variance.build,
    "tab-efficiency": fig_efficiency.build,
    "fig-scaling": fig_efficiency.build_scaling,
    "fig-label-attack": fig_attack.build_label,
    "fig-attribute-attack": fig_attack.build_attribute,
    "tab-attacks": fig_attack.build_all,
    "fig-ablation": fig_ablation.build,
    "fig-delta-pp": fig_delta_pp.build,
    "tab-communication": fig_communication.build,
    "tab-deviation": fig_deviation.build,
    "tab-audit": fig_audit.build,
    "tab-transcript": fig_audit.build_transcripts,
}


def builder(config):
    return BUILDERS.get(config, fig_auto.build)


def order(config):
    return (list(BUILDERS).index(config) if config in BUILDERS else len(BUILDERS), config)


def build(config, results, sink):
    """All figures and tables of one config into the sink."""
    style.introduce({name for run in results.runs for name in (run.method, run.attack)})
    builder(config)(config, results.of_config(config), sink)
