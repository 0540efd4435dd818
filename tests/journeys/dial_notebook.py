"""A marimo notebook for a journey: every kind of explanation, dials to turn, and a button that reads the answers back."""

import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    import understudy as us
    from understudy.protocols.hase2020.lessons import sample_explanations

    return mo, sample_explanations, us


@app.cell
def _(mo, sample_explanations, us):
    mo.vstack([us.show(explanation, files=files) for explanation, files in sample_explanations().values()])
    return


@app.cell
def _(us):
    played = us.play("ross2021-synthetic", condition="dsprites-interactive", page="practice_first")
    played
    return (played,)


@app.cell
def _(mo):
    button = mo.ui.button(label="Read the answers", value=0, on_click=lambda n: n + 1)
    button
    return (button,)


@app.cell
def _(button, mo, played):
    mo.plain_text(f"After {button.value} clicks: {played.answers[-1]}")
    return


if __name__ == "__main__":
    app.run()
