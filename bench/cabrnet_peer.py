"""cabrnet, the peer of prototype maps; torch, NumPy and SciPy are ours."""

from peer_folder import PeerFolder

CABRNET = "1.2"
PEER = PeerFolder(f"cabrnet-{CABRNET}", (f"cabrnet=={CABRNET}", "loguru", "opencv-python-headless"))
