"""lime and anchor-exp, the peers of our explainers; NumPy, SciPy and scikit-learn are ours."""

from peer_folder import PeerFolder

LIME, ANCHOR = "0.2.0.1", "0.0.2.0"
PEER = PeerFolder(f"lime-{LIME}-anchor-exp-{ANCHOR}", (f"lime=={LIME}", f"anchor-exp=={ANCHOR}"))
