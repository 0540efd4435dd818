# %% [markdown]
# # Read my results
#
# The data are in. This notebook goes through them in the order in which a careful reader would: who took part, what
# the plan found, how sure that is, and what to be careful about.
#
# The data here are simulated, so that the notebook runs anywhere. With your own run, start with
# `run = us.open_run("runs/my-study")`.

# %%
import altair as alt

import understudy as us

# %%
alt.renderers.enable("svg")  # charts as pictures, which need no network
run = us.rehearse("loan-demo", seed=3, effects={"explanation=shown": 0.7})
run

# %% [markdown]
# ## Who took part?
#
# One row for each person. Look at who left and who was excluded before you look at any result: if one condition lost more
# people than the other, the groups are no longer comparable.

# %%
sessions = run.table("sessions")
sessions.groupby(["condition", "outcome"]).size().unstack(fill_value=0)

# %% [markdown]
# ## What did the plan find?
#
# The plan was part of the study, so these are the tests that were promised, and no others.

# %%
run.findings

# %%
run.figure("effects")

# %% [markdown]
# An interval that is mostly on one side of zero says more than a verdict. A finding that is *not supported* is not
# evidence for "no effect": look at how wide its interval is.
#
# ## One hypothesis in detail

# %%
run.figure("H1")

# %% [markdown]
# ## Single answers
#
# One row for each answer. Is an effect carried by a few cases? A table by case tells.

# %%
trials = run.table("trials")
judged = trials[trials["correct"].notna()].assign(correct=lambda rows: rows["correct"].astype(float))
by_item = judged.groupby(["condition", "item"], as_index=False)["correct"].mean()
alt.Chart(by_item).mark_circle(size=60, opacity=0.7).encode(
    x=alt.X("correct:Q", title="share of correct answers").axis(format="%"),
    y=alt.Y("condition:N", title=None),
    tooltip=["item", "correct"],
).properties(title="Each dot is a case", width=420, height=90)

# %% [markdown]
# ## Data from elsewhere
#
# The same plan language reads any table. This one asks, of the table above, whether people who saw explanations were also
# slower.

# %%
plan = """
title = "Are explanations slow to read?"
source = "The table of this notebook"
[table]
participant = "session"
item = "item"
[[factors]]
name = "condition"
scope = "between"
levels = ["shown", "hidden"]
[[measures]]
name = "seconds"
value = "rt_ms / 1000"
unit = "trial"
scale = "continuous"
better = "lower"
[plan]
outcomes = [{ name = "seconds", measure = "seconds" }]
[[plan.hypotheses]]
hypothesis_id = "slower"
claim = "People who see explanations take longer."
outcome = "seconds"
factor = "condition"
contrast = ["shown", "hidden"]
direction = "greater"
analysis = "welch_t"
"""
analysis = us.analyze(judged[["session", "item", "condition", "rt_ms"]], plan)
analysis

# %% [markdown]
# ## The whole report
#
# One page with everything, for a reviewer: participant flow, each finding with its test, deviations, software, digests.

# %%
print("Wrote", run.report("report.html"))
