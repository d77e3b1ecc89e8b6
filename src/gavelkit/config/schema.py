"""Every setting there is, in the order the reference page lists them."""

from __future__ import annotations

from gavelkit.config.setting import (
    ANSWERS,
    CONCURRENCY,
    CONTEXT,
    CRITERION,
    DATA,
    FIELD,
    FLAG,
    MAPPING,
    SCALE,
    SCORES,
    TEXT,
    Kind,
    Setting,
    choice,
    number,
    whole,
)

_JUDGES = Kind("a list of judges", lambda value: value if isinstance(value, list) and value else _refuse())


_PLACEHOLDER = Kind("a placeholder", str)  # whatever it is, no message shows it


def _refuse() -> None:
    raise ValueError


UNNAMED = "llm_judge"
"""What a judge of an lm-eval task file is called that has no name."""


TOP = (
    Setting(
        "data",
        DATA,
        "The file of model outputs: .jsonl, .jsonl.gz, .csv, .tsv or .parquet, relative to this file; or several that "
        "are joined by id, a list or {system: file}.",
        flag="--data",
    ),
    Setting(
        "filter",
        TEXT,
        "The filter of lm-eval's whose samples are judged; those of every filter where left out.",
        flag="--filter",
    ),
    Setting(
        "map",
        MAPPING,
        "Where a row holds what: a name to a path such as doc.question or resps[0]; response also {system: path}.",
        flag="--map",
    ),
    Setting("judges", _JUDGES, "The judges, each a mapping of the settings below."),
    Setting("run", MAPPING, "Settings of the run, below; the limits among them are every judge's default."),
    Setting(
        "gates",
        MAPPING,
        "What the run must reach: judge.metric or judge[system].metric to a condition such as '>= 7.0'.",
    ),
    Setting(
        "prices",
        TEXT,
        "A file of prices, relative to this file; it comes before the shipped list prices.",
        flag="--prices",
    ),
)

LIMITS = (
    Setting(
        "concurrency",
        CONCURRENCY,
        "The most calls of a judge in flight; auto: 32 at first, and more as the endpoint welcomes them.",
        32,
        "--concurrency",
    ),
    Setting(
        "max_concurrency",
        whole(least=1),
        "The most calls of a judge in flight where concurrency is auto; 256 where left out.",
    ),
    Setting(
        "max_error_rate",
        number(least=0, most=1),
        "The share of failed judgments above which the run fails with exit code 3.",
        0.1,
        "--max-error-rate",
    ),
    Setting(
        "retry_attempts",
        whole(),
        "How often a failed call is tried again, besides the first request.",
        3,
        "--retry-attempts",
    ),
    Setting("retry_min_wait", number(least=0), "The shortest wait before a retry, in seconds.", 1.0),
    Setting(
        "retry_max_wait",
        number(least=0),
        "The longest wait before a retry, in seconds; a server's hint may exceed it.",
        60.0,
    ),
    Setting(
        "max_wait",
        number(above=0),
        "The longest wait that an endpoint may ask for, in seconds; a longer one ends the run, which can be resumed.",
        300.0,
    ),
    Setting(
        "requests_per_minute",
        number(above=0),
        "The most requests a minute to the judge's endpoint and model; no such limit where left out.",
    ),
    Setting(
        "tokens_per_minute",
        number(above=0),
        "The most tokens a minute, of prompts and replies together; no such limit where left out.",
    ),
    Setting(
        "preflight_check",
        FLAG,
        "Whether each endpoint, model and key is tried with one tiny request before the first judgment.",
        default=True,
        flag="--preflight-check",
    ),
    Setting("timeout", number(above=0, most=86_400), "The whole time of one request, in seconds.", 600.0),
)

JUDGE = (
    Setting("name", TEXT, "The judge's name in reports and variables; the preset's name where left out."),
    Setting("preset", TEXT, "A shipped judge; `gavel list judges` names them. Every other setting overrides its own."),
    Setting("prompt_template", TEXT, "The Jinja2 template of the user message."),
    Setting("system_prompt", TEXT, "The Jinja2 template of the system message."),
    Setting("variables", MAPPING, "Variables of your own for the templates."),
    Setting(
        "mode",
        choice("pointwise", "pairwise"),
        "Whether each response is judged by itself, or systems are compared two by two.",
        "pointwise",
    ),
    Setting(
        "criterion",
        CRITERION,
        "What is asked, in two steps: a shipped criterion (`gavel list criteria`), a file, a question, or a mapping.",
    ),
    Setting("criteria_field", TEXT, "The field that holds each row's own criterion, in place of `criterion`."),
    Setting(
        "context_fields",
        CONTEXT,
        "What is shown beside the response: a field, a list, or shown names to paths; the criterion's where left out.",
    ),
    Setting(
        "check_positional_bias",
        FLAG,
        "Whether the same is asked in the other order too: the options reversed, or the responses swapped.",
        default=True,
    ),
    Setting(
        "on_inconsistent",
        choice("first", "mean", "abstain", "tie", "drop"),
        "What orders that disagree are worth: first (the default), mean or abstain; between systems tie (the default), "
        "first or drop.",
    ),
    Setting(
        "choose_by",
        choice("text", "json_schema", "logprobs"),
        "How the option is given: its name, a field of a JSON object, or the log probabilities of a letter each.",
        "text",
    ),
    Setting(
        "generate_summaries", FLAG, "Whether each assessment is summarised too, with one more call.", default=False
    ),
    Setting("selection_template", TEXT, "The template of the second step, which asks for the choice."),
    Setting("summary_template", TEXT, "The template that asks for a summary of the assessment."),
    Setting("baseline", TEXT, "The system that every other is compared with; all pairs where left out."),
    Setting(
        "answers",
        ANSWERS,
        "How a contest's reply names the first response, the second and, where one is allowed, a tie.",
    ),
    Setting(
        "parser",
        choice("score", "score_first", "grade", "rating", "json"),
        "How the reply is read: `Score: x`, its first such line, `GRADE: x`, `[[x]]`, or a field of a JSON object.",
        "score",
    ),
    Setting("grade_pattern", TEXT, "A regular expression with one group, for the parser `grade`."),
    Setting(
        "response_format",
        MAPPING,
        "An example of the JSON object to answer with, sent as a strict schema; implies `parser: json`.",
    ),
    Setting(
        "score_field",
        FIELD,
        "The field that holds the score, for the parser `json`; or several, whose shares of the most make a mean.",
        "score",
    ),
    Setting("options", SCORES, "The scale as named options and their scores."),
    Setting("scale", SCALE, "The scale as its two ends; a score outside it is `out_of_range`."),
    Setting("clamp", FLAG, "Move a score outside the scale to its nearer end instead.", default=False),
    Setting("higher_is_better", FLAG, "Whether a higher score is the better one.", default=True),
    Setting(
        "threshold",
        number(),
        "The score from which a response passes, in the unit of the score shown.",
        flag="--threshold",
    ),
    Setting(
        "engine",
        choice("openai_chat", "openai_completions", "ollama", "recorded"),
        "How the model is reached: by an OpenAI-compatible endpoint's chat or plain completions, Ollama's own API, or "
        "replies in a file.",
        "openai_chat",
        "--engine",
    ),
    Setting(
        "replies",
        TEXT,
        "The file of recorded replies, relative to this file; implies `engine: recorded`.",
        flag="--replies",
    ),
    Setting("model", TEXT, "The judge model; llama3.2 where left out and engine is ollama.", "gpt-4", "--model"),
    Setting(
        "api_base",
        TEXT,
        "The endpoint's base URL; an empty path becomes /v1. With engine ollama http://localhost:11434 where left out.",
        "https://api.openai.com/v1",
        "--api-base",
    ),
    Setting("temperature", number(least=0), "Sampling temperature.", 0.0),
    Setting("max_tokens", whole(least=1), "The most tokens of a reply.", 1024),
    Setting("top_p", number(least=0, most=1), "Nucleus sampling; not sent where left out."),
    Setting("seed", whole(), "The sampling seed; not sent where left out."),
    Setting("extra_body", MAPPING, "Further fields of the request's body, sent as they are; Ollama's options too."),
    Setting(
        "save_details",
        FLAG,
        "Whether the run's folder gets a file with one line for each of the judge's judgments.",
        default=True,
    ),
    Setting(
        "api_key",
        _PLACEHOLDER,
        "Never a key: keys come from the environment. Only placeholders such as `dummy` are accepted, and ignored.",
    ),
    *LIMITS,
)

JUDGE_DEFAULTS = {setting.name: setting.default for setting in JUDGE if setting.default is not None}

RUN = (
    *LIMITS,
    Setting("repeat", whole(least=1, most=256), "How often each response is judged.", 1, "--repeat"),
    Setting("limit", whole(least=1), "Judge the first so many rows only.", flag="--limit"),
    Setting(
        "on_failure",
        choice("missing", "worst", "zero", "raise"),
        "What a failed judgment costs the mean: nothing, the scale's worst, 0.0, or the whole run.",
        "missing",
        "--on-failure",
    ),
    Setting(
        "max_cost",
        number(above=0),
        "The most that the run's folder may cost in USD in its whole life; the same command goes on with a higher cap.",
        flag="--max-cost",
    ),
    Setting(
        "confirm_above",
        number(least=0),
        "The cost in USD above which a command on a terminal asks before it begins; --yes answers beforehand.",
        1.0,
    ),
    Setting(
        "max_requests",
        whole(least=1),
        "The most requests of the run's folder in its whole life, retries and pre-flight included.",
        flag="--max-requests",
    ),
    Setting(
        "interval",
        choice("student_t", "bca"),
        "How the interval of a mean is made: Student's t, or the bootstrap over examples (BCa); Wilson's for 0 and 1.",
        "student_t",
        "--interval",
    ),
    Setting("output", TEXT, "The run's folder, relative to this file.", flag="--output"),
)
