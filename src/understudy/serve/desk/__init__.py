"""The researchers' side: sign-in, dashboard, actions and their audit."""
