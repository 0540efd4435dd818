# %% [markdown]
# # Does my explanation help?
#
# You have a model and a way to explain its answers. The claim is that people who see the explanations understand the
# model better. Here is how to test such a claim, and how to rehearse the test before anybody takes part.
#
# The question gets a number: **how often do people predict the model's answer to a case that they have not seen?**
# Everybody studies the same examples with the model's answers. Half of the people also see explanations.

# %%
import altair as alt

import understudy as us

# %% [markdown]
# ## The model and the explanation
#
# A small linear model reads four figures of a loan application. It is here as a stand-in for yours: any object with
# `labels` and `predict`, or any exported file, takes its place.

# %%
alt.renderers.enable("svg")  # charts as pictures, which need no network
weights = us.Ref(name="weighted_features", params={"features": ["income", "age", "savings", "debt"]})
model = us.Ref(name="linear_classifier", params={"weights": [1.5, 0.2, 0.9, -0.6], "labels": ["defaulted", "repaid"]})
explanations = us.explain(model, weights, [[0.5, -0.2, 1.1, 0.3], [-1.2, 0.4, 0.1, 0.8]])
us.show(explanations)

# %% [markdown]
# The cell above draws the explanations exactly as participants will see them. What you see is what you test.
#
# ## The study
#
# `us.between` builds a study in which each person sees one level: explanations, or none. Its plan, a Welch test of the
# two groups, is part of the study, so the analysis is settled before the first answer.

# %%
study = us.between(
    "loan-explanations",
    {"shown": weights, "hidden": None},
    dataset="loan_cases",
    model=model,
    answers=("defaulted", "repaid"),
    task="A model reads four figures of a loan application and says whether the loan will be repaid.",
    people=40,
    gates=[us.gate({"Whose decision do you predict?": ["The model's", "My own"]})],
)
study

# %% [markdown]
# ## Take part yourself
#
# Do this before anything else: it shows what no table shows. You play a participant, nothing is kept, and
# `played.answers` has what you answered.

# %%
played = us.play(study, condition="shown")
played

# %%
played.answers

# %% [markdown]
# ## Is the study sound?
#
# `us.check` names every fault, and it tries rules that need no understanding at all, such as always giving the same
# answer. If a simple rule does as well as people are expected to do, the study cannot tell you anything.

# %%
us.check(study)

# %% [markdown]
# ## Rehearse it
#
# Simulated people take part, and the study's own plan is run on what they did. You decide how much the explanation
# helps them: here by 0.6 on the log-odds scale. They are for rehearsal only, never evidence about people.

# %%
run = us.rehearse(study, seed=1, effects={"explanation=shown": 0.6})
run.findings

# %%
run.figure("effects")

# %% [markdown]
# A look at the raw answers of a few people:

# %%
run.table("sessions").head()

# %% [markdown]
# ## How many people does it take?
#
# One rehearsal is a single roll of the dice. Power is the share of simulated studies that find an effect that is there.
# Ten studies for each point are enough for a first look; take 200 before you decide.

# %%
found = us.power(study, "explanation=shown", n=(20, 40), effects=(0.0, 0.8), simulations=10, workers=1)
found.figure()

# %%
print(found)

# %% [markdown]
# ## Next
#
# Save the study, change what does not fit, and ask people: `us.save(study, "loans.toml")`, then
# `us.prepare(study, "runs/loans")` and `us.serve("runs/loans")`.
