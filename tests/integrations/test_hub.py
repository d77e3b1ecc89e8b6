"""Datasets of the hub, with a stand-in for the package `datasets`: what an address asks for, and what it refuses."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from gavelkit.core.errors import DataError, UsageError
from gavelkit.integrations.hub import HubAddress, load_from_hub


@pytest.mark.parametrize(
    ("address", "meant"),
    [
        ("hf://org/name?split=test", HubAddress("org/name", "test")),
        ("hf://org/name/config?split=dev", HubAddress("org/name", "dev", "config")),
        (
            "hf://org/name?split=test&filter_field=language&filter_value=hi",
            HubAddress("org/name", "test", None, "language", "hi"),
        ),
    ],
)
def test_an_address_says_dataset_config_split_and_filter(address: str, meant: HubAddress) -> None:
    assert HubAddress.parse(address) == meant


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("hf://org/name", "hf://ORG/NAME.split=SPLIT"),
        ("hf://name?split=test", "hf://ORG/NAME.split=SPLIT"),
        ("hf://org/name/config/more?split=test", "hf://ORG/NAME.split=SPLIT"),
        ("hf://org/name?split=", "hf://ORG/NAME.split=SPLIT"),
        ("hf://org/name?spilt=test", "did you mean split"),
        ("hf://org/name?split=test&trust_remote_code=true", "code of others is never run"),
        ("hf://org/name?split=test&filter_field=x", "belong together"),
    ],
)
def test_an_address_that_says_too_little_or_too_much_is_refused(address: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        HubAddress.parse(address)


def test_a_filter_keeps_the_rows_of_one_value_and_names_the_columns_there_are() -> None:
    rows = [{"n": 1, "of": "a"}, {"n": 2, "of": "b"}, {"n": 3, "of": "a"}]
    address = HubAddress("org/name", "test", None, "of", "a")
    assert [row["n"] for row in address.chosen(rows)] == [1, 3]
    with pytest.raises(DataError, match="no column 'fo'; there are n, of"):
        list(HubAddress("org/name", "test", None, "fo", "a").chosen(rows))


def test_without_the_package_or_with_its_error_it_is_said_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def load_dataset(*_: object, split: str) -> None:
        message = f"there is no {split}"
        raise ValueError(message)

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    with pytest.raises(DataError, match="mine: org/name cannot be loaded: there is no dev; a file of its rows"):
        load_from_hub("org/name", None, "dev", named="mine")
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(UsageError, match="'mine' is loaded from the hub by a package more: pip install datasets"):
        load_from_hub("org/name", None, "dev", named="mine")
