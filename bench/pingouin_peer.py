"""pingouin, the peer of our analyses of variance; NumPy, SciPy, pandas and statsmodels are ours."""

from peer_folder import PeerFolder

PINGOUIN = "0.7.0"
PEER = PeerFolder(
    f"pingouin-{PINGOUIN}",
    (
        f"pingouin=={PINGOUIN}", "pandas-flavor==0.8.1", "tabulate==0.10.0", "matplotlib==3.11.2", "seaborn==0.13.2",
        "xarray==2026.9.0", "lazy-loader==0.6", "contourpy==1.3.3", "cycler==0.12.1", "fonttools==4.68.0",
        "kiwisolver==1.5.1", "pyparsing==3.3.3",
    ),
)  # fmt: skip
