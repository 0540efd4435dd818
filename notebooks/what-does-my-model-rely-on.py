# %% [markdown]
# # What does my model rely on?
#
# A classifier of pictures can be right for the wrong reasons. To find out, draw pictures whose every cause you know,
# change one attribute at a time, and watch the answers. This takes no participants.

# %%
import altair as alt
import numpy as np

import understudy as us

# %% [markdown]
# ## Pictures with known causes
#
# The world of Sixt, Schuessler et al. (2022) has two kinds of animals, Peeky and Stretchy. Where their legs are decides
# which is which. Their colour and shape, and the wall behind them, are drawn as well, and some of them go with the class.

# %%
alt.renderers.enable("svg")  # charts as pictures, which need no network
train = us.draw_world("sixt2022", 800, seed=1, edge=32)
train

# %%
train.attributes.groupby("class").mean(numeric_only=True).T.round(2)

# %% [markdown]
# ## A model
#
# Any model will do that takes pictures as (n, 3, height, width) and returns probabilities. This one is as simple as it
# gets: a ridge regression on pixels, fitted by hand. Put your own network in its place.


# %%
class PixelModel:
    """Adds up pixels, each with a weight."""

    labels = ("Peeky", "Stretchy")

    def __init__(self, inputs, labels, strength):
        pixels = inputs.reshape(len(inputs), -1)
        self.mean = pixels.mean(axis=0)
        centred = pixels - self.mean
        target = np.where(np.array(labels) == self.labels[1], 1.0, -1.0)
        # The dual form: as many equations as pictures, and not as many as pixels.
        kernel = centred @ centred.T + strength * np.eye(len(centred))
        self.weights = centred.T @ np.linalg.solve(kernel, target)

    def predict(self, inputs):
        score = 3 * (inputs.reshape(len(inputs), -1) - self.mean) @ self.weights
        share = 1 / (1 + np.exp(-score))
        return np.stack([1 - share, share], axis=1)


model = PixelModel(train.inputs, train.labels, strength=30.0)

# %%
test = us.draw_world("sixt2022", 200, seed=2, edge=32)
said = model.predict(test.inputs).argmax(axis=1)
right = np.array(model.labels)[said] == np.array(test.labels)
print(f"{right.mean():.0%} of {len(test)} new pictures are classified correctly.")

# %% [markdown]
# ## What it relies on
#
# For each attribute, every picture is drawn again with only that attribute changed. **R²** is the share of the change in
# the answer that follows the change of the attribute. **Flips** are pictures whose class changes.

# %%
importance = us.importance("sixt2022", model, n=150, edge=32)
importance

# %%
importance.figure()

# %% [markdown]
# Being right says little about the reason. A model that adds up pixels uses colour, which goes with the class here. It
# hardly notices the legs, although they are what the two kinds of animals differ in. The verdicts name what it does use.

# %%
print("It relies on:", ", ".join(importance.relevant))

# %% [markdown]
# ## Would people have noticed?
#
# That is the question of a study. `us.play("sixt2022-validation")` lets you take part in one after theirs. The page "Test
# whether people find out what a model relies on" of the documentation builds one about your own model from
# `importance.key`.
