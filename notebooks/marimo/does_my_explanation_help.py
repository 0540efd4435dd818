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
    # Does my explanation help?

    You have a model and a way to explain its answers. The claim is that people who see the explanations understand the
    model better. Here is how to test such a claim, and how to rehearse the test before anybody takes part.

    The question gets a number: **how often do people predict the model's answer to a case that they have not seen?**
    Everybody studies the same examples with the model's answers. Half of the people also see explanations.
    """)
    return


@app.cell
def _():
    import understudy as us
    return (us,)


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## The model and the explanation

    A small linear model reads four figures of a loan application. It is here as a stand-in for yours: any object with
    `labels` and `predict`, or any exported file, takes its place.
    """)
    return


@app.cell
def _(us):
    weights = us.Ref(name="weighted_features", params={"features": ["income", "age", "savings", "debt"]})
    model = us.Ref(name="linear_classifier", params={"weights": [1.5, 0.2, 0.9, -0.6], "labels": ["defaulted", "repaid"]})
    explanations = us.explain(model, weights, [[0.5, -0.2, 1.1, 0.3], [-1.2, 0.4, 0.1, 0.8]])
    us.show(explanations)
    return explanations, model, weights


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    The cell above draws the explanations exactly as participants will see them. What you see is what you test.

    ## The study

    `us.between` builds a study in which each person sees one level: explanations, or none. Its plan, a Welch test of the
    two groups, is part of the study, so the analysis is settled before the first answer.
    """)
    return


@app.cell
def _(model, us, weights):
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
    return (study,)


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Take part yourself

    Do this before anything else: it shows what no table shows. You play a participant, nothing is kept, and
    `played.answers` has what you answered.
    """)
    return


@app.cell
def _(study, us):
    played = us.play(study, condition="shown")
    played
    return (played,)


@app.cell
def _(played):
    played.answers
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Is the study sound?

    `us.check` names every fault, and it tries rules that need no understanding at all, such as always giving the same
    answer. If a simple rule does as well as people are expected to do, the study cannot tell you anything.
    """)
    return


@app.cell
def _(study, us):
    us.check(study)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Rehearse it

    Simulated people take part, and the study's own plan is run on what they did. You decide how much the explanation
    helps them: here by 0.6 on the log-odds scale. They are for rehearsal only, never evidence about people.
    """)
    return


@app.cell
def _(study, us):
    run = us.rehearse(study, seed=1, effects={"explanation=shown": 0.6})
    run.findings
    return (run,)


@app.cell
def _(run):
    run.figure("effects")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    A look at the raw answers of a few people:
    """)
    return


@app.cell
def _(run):
    run.table("sessions").head()
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## How many people does it take?

    One rehearsal is a single roll of the dice. Power is the share of simulated studies that find an effect that is there.
    Ten studies for each point are enough for a first look; take 200 before you decide.
    """)
    return


@app.cell
def _(study, us):
    found = us.power(study, "explanation=shown", n=(20, 40), effects=(0.0, 0.8), simulations=10, workers=1)
    found.figure()
    return (found,)


@app.cell
def _(found):
    print(found)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Next

    Save the study, change what does not fit, and ask people: `us.save(study, "loans.toml")`, then
    `us.prepare(study, "runs/loans")` and `us.serve("runs/loans")`.
    """)
    return


if __name__ == "__main__":
    app.run()
