"""Help lists names without importing what they name, and lists the right ones."""

from understudy.actions.pay import CATEGORIES, VERDICTS
from understudy.actions.train import names_to_train
from understudy.cli.commands import listed_names
from understudy.registry import names
from understudy.schema import RelevanceRule, RuleOptions
from understudy.serve.desk.researchers import ROLES
from understudy.sources.downloads import PUBLISHED
from understudy.worlds.creature_sets import EDGE
from understudy.worlds.creatures import DEFAULT_SPECIES, SPECIES


def test_help_lists_the_names_of_the_catalogues() -> None:
    assert names("concepts") == listed_names.CONCEPTS
    assert names("trainers") == listed_names.TRAINERS


def test_help_lists_everything_that_can_be_trained_or_fetched() -> None:
    assert names_to_train() == listed_names.RECIPES
    assert (*PUBLISHED, "oxford-pets") == listed_names.DATASETS


def test_help_lists_the_roles_the_rules_and_the_verdicts() -> None:
    assert ROLES == listed_names.ROLES
    assert (VERDICTS, CATEGORIES) == (listed_names.VERDICTS, listed_names.CATEGORIES)
    assert tuple(RuleOptions.model_fields) == listed_names.RULE_OPTIONS


def test_help_states_the_usual_values_of_worlds() -> None:
    assert len(SPECIES) == listed_names.N_SPECIES
    assert DEFAULT_SPECIES == listed_names.USUAL_SPECIES
    assert EDGE == listed_names.CREATURE_EDGE
    assert RelevanceRule().r_squared == listed_names.RELEVANT_R_SQUARED
