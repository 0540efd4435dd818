"""Forward and counterfactual simulation (Hase and Bansal, ACL 2020)."""
