"""Sources: raw data, generated data and edited versions of cases. Nothing here knows the registry or torch."""
