"""The names that others may rely on: a new one is added here on purpose, and an old one leaves on purpose."""

from __future__ import annotations

from importlib import import_module

import pytest

import gavelkit

PUBLIC = [
    "CallError",
    "Completion",
    "ConfigError",
    "DataError",
    "EndpointError",
    "FailureKind",
    "GavelError",
    "Interrupted",
    "Metric",
    "Report",
    "RunFailed",
    "ScriptedEngine",
    "Status",
    "StorageError",
    "TemplateError",
    "UsageError",
    "evaluate",
    "evaluate_async",
    "judge",
]

ROOMS = {
    "catalog": [
        "Preset",
        "Price",
        "context_paths",
        "criterion_fields",
        "criterion_of_row",
        "demo_file",
        "is_name",
        "names",
        "preset",
        "price_of",
        "read_criterion",
        "read_prices",
        "shipped_file",
        "template_text",
    ],
    "cli": [],
    "config": [
        "Configuration",
        "Flags",
        "JudgeSettings",
        "Surroundings",
        "configure",
        "configure_judges",
        "judge",
        "read_configuration",
        "read_file",
    ],
    "core": [],
    "datasets": [
        "JoinedSource",
        "RowMapping",
        "Source",
        "joined_source",
        "open_source",
        "refuse_duplicates",
        "rows_source",
    ],
    "engines": [
        "BatchedEngine",
        "Budget",
        "CallableEngine",
        "Ceiling",
        "Gate",
        "GateRules",
        "Gated",
        "HttpClient",
        "HttpClients",
        "Ledger",
        "Ollama",
        "OpenAIChat",
        "OpenAICompletions",
        "RecordedEngine",
        "RepairMemory",
        "Repairing",
        "Replaying",
        "RetryPolicy",
        "Retrying",
        "ScriptedEngine",
        "SecondTry",
        "StoredOnly",
        "SystemClock",
        "batched_engine",
    ],
    "integrations": [],
    "judges": [
        "AnyJudge",
        "Asking",
        "Choice",
        "Direct",
        "FunctionJudge",
        "Pairwise",
        "RowCriterion",
        "Scored",
        "Turns",
        "TwoStep",
    ],
    "parsing": [
        "Distribution",
        "GradeParser",
        "GradePatternParser",
        "JsonMeanParser",
        "JsonOptionParser",
        "JsonParser",
        "OptionParser",
        "RatingParser",
        "ScoreFirstParser",
        "ScoreParser",
        "expectation",
        "parser_for",
        "read_distribution",
        "without_thinking",
    ],
    "prompts": ["Context", "Prompt", "Template"],
    "reports": [
        "COLUMNS",
        "RenderPrompt",
        "export_csv",
        "export_jsonl",
        "github_annotations",
        "junit_xml",
        "page_line",
        "printable",
        "render_html",
        "render_markdown",
        "render_table",
        "replace_file",
        "report_json",
    ],
    "run": [
        "RunSettings",
        "Stop",
        "default_folder",
        "evaluate_async",
        "find_run",
        "next_free",
        "on_loop",
        "pointing",
        "reparse_async",
    ],
    "simulator": [
        "Rule",
        "Script",
        "Simulator",
        "parse_script",
        "read_script",
        "reply_to",
        "running_simulator",
        "serve_forever",
    ],
    "stats": [
        "Bootstrap",
        "JudgeFacts",
        "OnFailure",
        "Tally",
        "decide",
        "normal_quantile",
        "student_t",
        "student_t_cdf",
        "student_t_quantile",
        "summarise",
        "wilson",
    ],
    "storage": ["RunReader", "RunRecord", "open_reader"],
    "systems": ["System"],
}
"""What each room shows to the rooms above it. `core` and `cli` are imported module by module."""


def test_the_package_shows_these_names() -> None:
    assert gavelkit.__all__ == PUBLIC
    assert dir(gavelkit) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_leads_somewhere_and_says_what_it_is(name: str) -> None:
    assert getattr(gavelkit, name).__doc__


def test_an_unknown_name_is_refused_as_any_module_does() -> None:
    with pytest.raises(AttributeError, match="module 'gavelkit' has no attribute 'evalute'"):
        getattr(gavelkit, "evalute")  # noqa: B009 - a type checker refuses it as well


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_shows_these_names(room: str) -> None:
    module = import_module(f"gavelkit.{room}")
    assert list(getattr(module, "__all__", [])) == ROOMS[room]
    assert [name for name in ROOMS[room] if not hasattr(module, name)] == []


def test_the_public_types_are_those_of_their_rooms() -> None:
    homes = {name: getattr(gavelkit, name).__module__ for name in PUBLIC}
    assert {home.split(".")[1] for home in homes.values()} == {"config", "core", "engines"}


DOORS = {
    "context_bench": [
        "AnswerQuality",
        "CompressionRatio",
        "CostOfPass",
        "EvalResult",
        "EvalRow",
        "Evaluator",
        "JudgeFailures",
        "LLMJudge",
        "Latency",
        "MeanScore",
        "Metric",
        "OpenAIProxy",
        "ParetoRank",
        "PassRate",
        "PerDatasetBreakdown",
        "System",
        "dataset_names",
        "evaluate",
        "get_metric",
        "load_dataset",
        "load_jsonl",
        "register_dataset",
        "register_metric",
        "to_html",
        "to_json",
        "to_jsonl",
        "to_markdown",
        "to_table",
    ],
    "eval_harness": [
        "DEFAULT_MODEL",
        "DEFAULT_THRESHOLD",
        "JudgeParseError",
        "LLMJudgeScorer",
        "RUBRIC_PROMPT",
        "ScoreResult",
        "Scorer",
        "mean_scores",
    ],
    "nemo_byob": [
        "Benchmark",
        "ByobError",
        "Choices",
        "DEFAULT_PATTERNS",
        "DEFAULT_SCORE_MAPPINGS",
        "JudgeConfig",
        "JudgeSession",
        "Model",
        "ScorerInput",
        "TEMPLATES",
        "benchmark",
        "clear_registry",
        "get_registered_benchmarks",
        "judge_call",
        "judge_score",
        "load_benchmark",
        "parse_grade",
        "render_judge_prompt",
        "run_benchmark",
        "scorer",
    ],
    "unitxt": [
        "CreateCriteriaFromDict",
        "CreateCriteriaFromJson",
        "CreateCriteriaFromString",
        "CreateCriteriaWithOptionsFromDict",
        "CreateCriteriaWithOptionsFromJson",
        "CreateYesNoCriteriaFromString",
        "CreateYesNoPartiallyCriteriaFromString",
        "Criteria",
        "CriteriaOption",
        "CriteriaWithOptions",
        "DirectCriteriaCatalogEnum",
        "Endpoint",
        "EvaluatorNameEnum",
        "LLMJudge",
        "LLMJudgeDirect",
        "LLMJudgePairwise",
        "LoadCriteria",
        "LoadCriteriaWithOptions",
        "PairwiseCriteriaCatalogEnum",
        "UnitxtError",
    ],
}
"""What each other system's users find under `gavelkit.integrations`."""


@pytest.mark.parametrize("door", DOORS)
def test_a_door_to_another_system_shows_these_names(door: str) -> None:
    module = import_module(f"gavelkit.integrations.{door}")
    assert list(module.__all__) == DOORS[door]
    assert [name for name in DOORS[door] if not getattr(module, name).__doc__] == []
