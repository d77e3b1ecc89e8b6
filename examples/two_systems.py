"""Two systems in each row, a threshold, and what a report holds.

Run it with `python examples/two_systems.py`.
"""

from gavelkit import evaluate, judge

ROWS = [
    {"id": "a", "question": "2 + 2", "reference": "4", "model_a": "4", "model_b": "The sum is 4."},
    {"id": "b", "question": "3 * 3", "reference": "9", "model_a": "9", "model_b": "Three times three makes 6."},
    {"id": "c", "question": "10 / 4", "reference": "2.5", "model_a": "about 3", "model_b": "2.5"},
    {"id": "d", "question": "7 - 9", "reference": "-2", "model_a": "-2", "model_b": "It is minus two."},
]

TEMPLATE = """Reference: {{ reference }}
Response: {{ response }}"""


def grade(prompt: str) -> str:
    """Full marks for the bare reference, fewer where more is said, none where it is missing."""
    reference, response = (line.partition(": ")[2] for line in prompt.splitlines())
    if response == reference:
        return "The answer and nothing else.\nScore: 10"
    return "The answer, and more.\nScore: 7" if reference in response else "Not the answer.\nScore: 0"


def main() -> None:
    sums = judge(name="sums", prompt_template=TEMPLATE, scale=(0, 10), threshold=7, function=grade)
    report = evaluate(ROWS, sums, map={"response": {"a": "model_a", "b": "model_b"}})
    for system in ("a", "b"):
        mean = report.metric("sums", system=system)
        passed = report.metric("sums", "pass_rate", system=system)
        print(f"answers of {system}: mean {mean.value:.2f}, standard error {mean.stderr:.2f}, {mean.n} examples")
        within = passed.interval
        print(f"  {passed.value:.0%} pass; {within.level:.0%} interval from {within.low:.0%} to {within.high:.0%}")
    summary = report.judges[0]
    print(f"{summary.calls} calls, error rate {summary.error_rate:.0%}")


if __name__ == "__main__":
    main()
