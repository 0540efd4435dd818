"""understudy measures whether people understand a model, a representation or an explanation."""
