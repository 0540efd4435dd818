import marimo

__generated_with = "0.25.2"
app = marimo.App()


@app.cell(hide_code=True)
def _():
    import marimo as mo

    return (mo,)


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    # Read my results

    The data are in. This notebook goes through them in the order in which a careful reader would: who took part, what
    the plan found, how sure that is, and what to be careful about.

    The data here are simulated, so that the notebook runs anywhere. With your own run, start with
    `run = us.open_run("runs/my-study")`.
    """)
    return


@app.cell
def _():
    import altair as alt

    import understudy as us
    return alt, us


@app.cell
def _(us):
    run = us.rehearse("loan-demo", seed=3, effects={"explanation=shown": 0.7})
    run
    return (run,)


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Who took part?

    One row for each person. Look at who left and who was excluded before you look at any result: if one condition lost more
    people than the other, the groups are no longer comparable.
    """)
    return


@app.cell
def _(run):
    sessions = run.table("sessions")
    sessions.groupby(["condition", "outcome"]).size().unstack(fill_value=0)
    return (sessions,)


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## What did the plan find?

    The plan was part of the study, so these are the tests that were promised, and no others.
    """)
    return


@app.cell
def _(run):
    run.findings
    return


@app.cell
def _(run):
    run.figure("effects")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    An interval that is mostly on one side of zero says more than a verdict. A finding that is *not supported* is not
    evidence for "no effect": look at how wide its interval is.

    ## One hypothesis in detail
    """)
    return


@app.cell
def _(run):
    run.figure("H1")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Single answers

    One row for each answer. Is an effect carried by a few cases? A table by case tells.
    """)
    return


@app.cell
def _(alt, run):
    trials = run.table("trials")
    judged = trials[trials["correct"].notna()].assign(correct=lambda rows: rows["correct"].astype(float))
    by_item = judged.groupby(["condition", "item"], as_index=False)["correct"].mean()
    alt.Chart(by_item).mark_circle(size=60, opacity=0.7).encode(
        x=alt.X("correct:Q", title="share of correct answers").axis(format="%"),
        y=alt.Y("condition:N", title=None),
        tooltip=["item", "correct"],
    ).properties(title="Each dot is a case", width=420, height=90)
    return by_item, judged, trials


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Data from elsewhere

    The same plan language reads any table. This one asks, of the table above, whether people who saw explanations were also
    slower.
    """)
    return


@app.cell
def _(judged, us):
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
    return analysis, plan


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## The whole report

    One page with everything, for a reviewer: participant flow, each finding with its test, deviations, software, digests.
    """)
    return


@app.cell
def _(run):
    print("Wrote", run.report("report.html"))
    return


if __name__ == "__main__":
    app.run()
