"""Sources: raw data, generated data and edited versions of cases. Nothing here imports the registry or torch."""
