"""Judge with a Python function in place of an endpoint. Nothing is sent anywhere.

Run it with `python examples/python_function.py`.
"""

from gavelkit import Status, evaluate, judge

ROWS = [
    {"id": "france", "question": "What is the capital of France?", "reference": "Paris", "response": "It is Paris."},
    {"id": "peru", "question": "What is the capital of Peru?", "reference": "Lima", "response": "Quito, I think."},
    {"id": "chad", "question": "What is the capital of Chad?", "reference": "N'Djamena", "response": ""},
]

TEMPLATE = """Reference: {{ reference }}
Response: {{ response }}"""


def grade(prompt: str) -> str:
    """Any sync or async function from the prompt to a reply. The reply is read as a model's would be."""
    reference, response = (line.partition(": ")[2] for line in prompt.splitlines())
    if not response:
        return "There is nothing to grade."
    if reference in response:
        return f"It names {reference}.\nScore: 10"
    return f"It does not name {reference}.\nScore: 0"


def main() -> None:
    capital = judge(name="capital", prompt_template=TEMPLATE, scale=(0, 10), function=grade)
    report = evaluate(ROWS, capital, max_error_rate=0.5)
    mean = report.metric("capital")
    print(report)
    print(f"scored: {mean.n}, failed: {mean.failed}, of them unreadable: {mean.counts[Status.PARSE_ERROR]}")
    at_worst = report.metric("capital", "mean_failures_worst")
    print(f"with each failure at the scale's worst: {at_worst.value:.2f}")


if __name__ == "__main__":
    main()
