"""Every fault and the tests that hold its promise: each row is there, each test exists, and the page says the same."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from . import test_bodies, test_connection, test_statuses

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "reliability.md"
SECTION = "Every fault, its promise and its tests"
LAST = 92

ROWS: dict[int, tuple[str, ...]] = {
    1: (
        "faults/test_connection.py::test_a_port_nobody_listens_on_ends_the_preflight_within_five_seconds",
        "faults/test_connection.py::test_a_server_that_is_away_for_three_seconds_costs_nobody_a_judgment",
        "faults/test_connection.py::test_a_server_that_stays_away_is_given_up_and_the_run_can_be_resumed",
    ),
    2: (
        "run/test_preflight.py::test_a_host_without_an_address_is_named",
        "engines/test_http.py::test_a_name_that_does_not_resolve_fails_as_dns",
    ),
    3: ("faults/test_connection.py::test_a_server_that_says_nothing_is_a_timeout",),
    4: ("faults/test_connection.py::test_a_body_that_drips_is_cut_off_at_the_deadline_and_its_place_is_free_again",),
    5: (
        "faults/test_connection.py::test_a_lost_reply_is_asked_for_again",
        "faults/test_connection.py::test_a_reply_that_is_lost_every_time_is_a_failed_call",
    ),
    6: (
        "faults/test_connection.py::test_a_lost_reply_is_asked_for_again",
        "faults/test_connection.py::test_a_reply_that_is_lost_every_time_is_a_failed_call",
    ),
    7: (
        "faults/test_connection.py::test_a_lost_reply_is_asked_for_again",
        "faults/test_connection.py::test_a_reply_that_is_lost_every_time_is_a_failed_call",
    ),
    8: (
        "faults/test_connection.py::test_a_lost_reply_is_asked_for_again",
        "faults/test_connection.py::test_a_reply_that_is_lost_every_time_is_a_failed_call",
    ),
    9: (
        "faults/test_connection.py::test_a_connection_that_is_stale_each_time_costs_neither_a_failure_nor_a_wait",
        "engines/test_http_pool.py::test_a_server_that_closes_after_each_reply_unannounced_causes_no_failure",
    ),
    10: (
        "faults/test_connection.py::test_a_certificate_that_cannot_be_trusted_is_no_endpoint",
        "faults/test_connection.py::test_a_certificate_of_a_trusted_authority_is_an_endpoint",
    ),
    11: ("run/test_preflight.py::test_https_on_a_plain_port_is_told",),
    12: ("engines/test_http_pool.py::test_loopback_never_goes_through_the_proxy_and_other_hosts_do",),
    13: ("faults/test_connection.py::test_a_redirect_is_never_followed",),
    14: (
        "faults/test_connection.py::test_what_is_no_http_is_asked_for_once_more_and_no_further",
        "faults/test_connection.py::test_what_is_no_http_once_costs_one_retry",
    ),
    15: ("faults/test_connection.py::test_chaos_costs_no_judgment_and_few_requests",),
    16: (
        "faults/test_bodies.py::test_a_body_that_is_no_verdict_has_its_status_and_kind",
        "faults/test_bodies.py::test_a_body_that_is_broken_once_is_asked_for_again",
        "faults/test_bodies.py::test_a_broken_body_is_kept_up_to_two_thousand_bytes",
    ),
    17: (
        "faults/test_bodies.py::test_a_body_that_is_no_verdict_has_its_status_and_kind",
        "faults/test_bodies.py::test_a_body_that_is_broken_once_is_asked_for_again",
    ),
    18: (
        "faults/test_bodies.py::test_a_body_that_is_no_verdict_has_its_status_and_kind",
        "faults/test_bodies.py::test_a_body_that_is_broken_once_is_asked_for_again",
        "faults/test_bodies.py::test_a_login_page_hints_at_the_path",
    ),
    19: (
        "faults/test_bodies.py::test_a_body_that_is_no_verdict_has_its_status_and_kind",
        "faults/test_bodies.py::test_a_body_that_is_broken_once_is_asked_for_again",
        "faults/test_bodies.py::test_a_used_up_quota_inside_a_200_ends_the_run",
    ),
    20: (
        "faults/test_bodies.py::test_a_body_that_is_no_verdict_has_its_status_and_kind",
        "faults/test_bodies.py::test_a_body_that_is_broken_once_is_asked_for_again",
    ),
    21: (
        "faults/test_bodies.py::test_a_body_that_is_no_verdict_has_its_status_and_kind",
        "faults/test_bodies.py::test_a_body_that_is_broken_once_is_asked_for_again",
    ),
    22: ("faults/test_bodies.py::test_an_odd_reply_is_read_as_what_it_says_and_never_guessed",),
    23: (
        "faults/test_bodies.py::test_a_body_that_is_no_verdict_has_its_status_and_kind",
        "faults/test_bodies.py::test_a_refusal_is_kept_word_for_word",
    ),
    24: (
        "faults/test_bodies.py::test_a_reply_cut_before_its_verdict_gets_one_second_try_with_twice_the_room",
        "faults/test_bodies.py::test_a_reply_cut_twice_is_truncated",
        "faults/test_bodies.py::test_an_odd_reply_is_read_as_what_it_says_and_never_guessed",
    ),
    25: ("faults/test_bodies.py::test_a_body_that_is_no_verdict_has_its_status_and_kind",),
    26: (
        "faults/test_bodies.py::test_a_body_that_is_no_verdict_has_its_status_and_kind",
        "faults/test_bodies.py::test_a_tool_call_in_place_of_words_is_named",
    ),
    27: (
        "faults/test_bodies.py::test_a_body_that_is_no_verdict_has_its_status_and_kind",
        "faults/test_bodies.py::test_an_odd_reply_is_read_as_what_it_says_and_never_guessed",
    ),
    28: ("faults/test_bodies.py::test_of_several_choices_the_first_counts_and_the_others_are_remarked_upon",),
    29: ("faults/test_bodies.py::test_an_odd_reply_is_read_as_what_it_says_and_never_guessed",),
    30: ("faults/test_bodies.py::test_an_odd_reply_is_read_as_what_it_says_and_never_guessed",),
    31: (
        "faults/test_bodies.py::test_an_odd_reply_is_read_as_what_it_says_and_never_guessed",
        "faults/test_bodies.py::test_a_body_that_is_no_verdict_has_its_status_and_kind",
        "faults/test_bodies.py::test_the_worker_lives_on_after_the_worst_reply",
    ),
    32: ("faults/test_bodies.py::test_a_lone_surrogate_in_a_reply_is_kept_and_exported_as_utf_8",),
    33: ("faults/test_bodies.py::test_a_lone_surrogate_in_a_row_costs_this_row_alone_and_no_request",),
    34: ("faults/test_bodies.py::test_a_nul_byte_goes_out_and_comes_back_whole",),
    35: (
        "faults/test_bodies.py::test_an_odd_reply_is_read_as_what_it_says_and_never_guessed",
        "faults/test_bodies.py::test_bytes_that_are_no_utf_8_are_replaced",
    ),
    36: (
        "faults/test_bodies.py::test_a_body_that_is_no_verdict_has_its_status_and_kind",
        "faults/test_bodies.py::test_a_bomb_is_never_held_in_memory",
    ),
    37: (
        "faults/test_bodies.py::test_a_body_that_is_no_verdict_has_its_status_and_kind",
        "faults/test_bodies.py::test_a_bomb_is_never_held_in_memory",
    ),
    38: (
        "faults/test_bodies.py::test_a_body_that_is_no_verdict_has_its_status_and_kind",
        "faults/test_bodies.py::test_nothing_but_gzip_is_asked_for",
    ),
    39: ("faults/test_bodies.py::test_tokens_that_nobody_counted_are_unknown_and_the_totals_a_lower_bound",),
    40: ("faults/test_bodies.py::test_a_model_that_changes_within_a_run_is_recorded_and_remarked_upon",),
    41: ("faults/test_statuses.py::test_a_status_has_its_kind_and_its_number_of_requests",),
    42: (
        "faults/test_statuses.py::test_max_tokens_is_renamed_once_for_all",
        "faults/test_statuses.py::test_one_row_at_a_time_pays_one_request_for_the_repair",
    ),
    43: ("faults/test_statuses.py::test_a_temperature_that_is_refused_is_left_out_recorded_and_remarked_upon",),
    44: (
        "faults/test_statuses.py::test_a_schema_that_is_refused_becomes_an_object_and_then_the_prompt_alone",
        "faults/test_statuses.py::test_log_probabilities_that_are_refused_are_left_out",
    ),
    45: (
        "faults/test_statuses.py::test_a_status_has_its_kind_and_its_number_of_requests",
        "faults/test_statuses.py::test_a_status_that_the_preflight_meets_ends_the_run_before_it_begins",
        "faults/test_statuses.py::test_one_bad_request_costs_one_row",
    ),
    46: (
        "faults/test_statuses.py::test_what_only_a_person_can_mend_ends_the_run_within_one_round",
        "faults/test_statuses.py::test_a_status_that_the_preflight_meets_ends_the_run_before_it_begins",
        "faults/test_statuses.py::test_a_key_is_never_shown_though_the_endpoint_repeats_it",
    ),
    47: (
        "faults/test_statuses.py::test_a_status_has_its_kind_and_its_number_of_requests",
        "faults/test_statuses.py::test_four_forbidden_rows_in_a_row_cost_only_themselves",
        "faults/test_statuses.py::test_five_forbidden_rows_in_a_row_end_the_run",
    ),
    48: (
        "faults/test_statuses.py::test_what_only_a_person_can_mend_ends_the_run_within_one_round",
        "faults/test_statuses.py::test_a_model_that_is_not_there_names_those_that_are",
    ),
    49: (
        "faults/test_statuses.py::test_what_only_a_person_can_mend_ends_the_run_within_one_round",
        "run/test_preflight.py::test_a_path_that_is_not_there_is_no_matter_of_the_model",
    ),
    50: (
        "faults/test_statuses.py::test_a_status_has_its_kind_and_its_number_of_requests",
        "faults/test_statuses.py::test_a_status_that_passes_costs_one_retry",
    ),
    51: ("faults/test_statuses.py::test_a_status_has_its_kind_and_its_number_of_requests",),
    52: ("faults/test_statuses.py::test_a_status_has_its_kind_and_its_number_of_requests",),
    53: (
        "faults/test_statuses.py::test_nothing_is_asked_before_the_time_that_the_server_named",
        "faults/test_statuses.py::test_a_status_that_passes_costs_one_retry",
    ),
    54: ("faults/test_statuses.py::test_nothing_is_asked_before_the_time_that_the_server_named",),
    55: ("faults/test_statuses.py::test_nothing_is_asked_before_the_time_that_the_server_named",),
    56: (
        "faults/test_statuses.py::test_a_hint_that_makes_no_sense_is_none",
        "faults/test_statuses.py::test_a_hint_longer_than_anybody_waits_ends_the_run_without_a_wait",
    ),
    57: ("faults/test_statuses.py::test_what_only_a_person_can_mend_ends_the_run_within_one_round",),
    58: (
        "faults/test_statuses.py::test_who_is_told_to_wait_does_not_hammer_and_goes_on_afterwards",
        "faults/test_statuses.py::test_a_limit_on_requests_per_second_is_kept_without_a_failure",
    ),
    59: (
        "faults/test_statuses.py::test_a_status_has_its_kind_and_its_number_of_requests",
        "faults/test_statuses.py::test_a_status_that_passes_costs_one_retry",
        "faults/test_statuses.py::test_nothing_is_asked_before_the_time_that_the_server_named",
    ),
    60: ("faults/test_statuses.py::test_one_poisonous_row_costs_only_itself",),
    61: ("faults/test_statuses.py::test_a_dead_endpoint_costs_few_requests_and_the_run_can_be_resumed",),
    62: (
        "faults/test_statuses.py::test_a_status_has_its_kind_and_its_number_of_requests",
        "faults/test_statuses.py::test_a_status_that_passes_costs_one_retry",
    ),
    63: ("run/test_kill.py::test_three_kills_lose_nothing_that_was_reported_and_change_no_metric",),
    64: (
        "faults/test_process.py::test_each_commit_that_is_told_was_forced_to_disk",
        "storage/test_database.py::test_a_new_file_is_ours_and_survives_a_crash_of_the_machine",
    ),
    65: (
        "cli/test_processes.py::test_a_signal_keeps_what_is_in_flight_and_the_same_command_goes_on",
        "cli/test_processes.py::test_a_second_signal_ends_at_once_and_harms_nothing",
    ),
    66: ("cli/test_processes.py::test_a_signal_keeps_what_is_in_flight_and_the_same_command_goes_on",),
    67: (
        "cli/test_processes.py::test_a_reader_that_goes_away_stops_no_run_and_leaves_no_traceback",
        "cli/test_processes.py::test_only_the_head_of_a_list_is_read",
    ),
    68: ("cli/test_processes.py::test_a_full_disk_ends_with_five_and_the_same_command_then_completes",),
    69: (
        "reports/test_files.py::test_an_old_file_survives_a_failure_and_nothing_is_left_behind",
        "run/test_files.py::test_a_failure_leaves_the_old_set_whole",
    ),
    70: ("cli/test_processes.py::test_a_folder_nobody_may_write_ends_with_five_before_any_call",),
    71: ("faults/test_process.py::test_a_disk_without_a_write_ahead_log_is_remarked_upon_and_the_run_is_kept",),
    72: (
        "storage/test_database.py::test_a_file_that_is_no_database_is_left_untouched",
        "storage/test_database.py::test_a_newer_run_is_left_untouched",
        "storage/test_record.py::test_a_damaged_run_is_refused_and_nothing_of_it_changes",
        "storage/test_record.py::test_a_truncated_run_is_refused",
    ),
    73: (
        "cli/test_processes.py::test_a_run_held_by_another_process_is_left_alone_and_named",
        "storage/test_lock.py::test_a_killed_holder_holds_nothing",
    ),
    74: ("faults/test_process.py::test_a_reader_that_stays_open_keeps_no_log_growing",),
    75: (
        "run/test_evaluate.py::test_evaluate_works_in_a_forked_child",
        "run/test_loop.py::test_a_forked_child_has_a_loop_of_its_own",
    ),
    76: ("faults/test_process.py::test_a_clock_that_is_set_back_moves_no_wait_and_loses_no_order",),
    77: ("cli/test_run.py::test_another_question_is_refused_with_the_difference",),
    78: (
        "faults/test_process.py::test_rows_in_another_order_are_not_asked_about_again",
        "run/test_evaluate.py::test_a_changed_row_is_judged_again",
        "run/test_evaluate.py::test_fewer_rows_than_before_are_reported_alone_and_the_others_are_named",
    ),
    79: ("faults/test_bodies.py::test_a_model_that_changes_within_a_run_is_recorded_and_remarked_upon",),
    80: ("faults/test_process.py::test_a_disk_that_takes_long_to_sync_never_holds_up_the_loop",),
    81: ("faults/test_process.py::test_with_few_descriptors_fewer_calls_are_made_at_once_and_none_fails",),
    82: (
        "faults/test_process.py::test_memory_does_not_grow_with_the_rows_judged",
        "run/test_report_page.py::test_memory_does_not_grow_with_the_rows",
    ),
    83: ("run/test_check.py::test_an_id_that_stands_twice_is_found_with_both_lines",),
    84: (
        "faults/test_data.py::test_numbers_without_end_are_never_part_of_a_mean",
        "stats/test_summary.py::test_a_failure_is_missing_and_its_price_stands_beside",
    ),
    85: ("storage/test_schema.py::test_only_an_ok_judgment_can_have_a_score_and_it_must",),
    86: ("storage/test_codec.py::test_json_keeps_numbers_beyond_sixty_four_bits_and_lone_surrogates",),
    87: (
        "faults/test_data.py::test_one_row_of_ten_megabytes_is_judged_like_the_others",
        "faults/test_data.py::test_a_row_too_large_for_any_prompt_is_named_before_anything_is_asked",
    ),
    89: (
        "faults/test_data.py::test_empty_responses_are_judged",
        "judges/test_direct.py::test_any_response_is_judged",
    ),
    90: (
        "run/test_check.py::test_a_row_that_lacks_what_the_template_names_is_found",
        "prompts/test_template.py::test_a_missing_field_names_template_line_row_and_nearest_field",
    ),
    91: (
        "datasets/test_jsonl.py::test_a_byte_order_mark_and_windows_line_ends_do_not_matter",
        "datasets/test_jsonl.py::test_a_bad_line_is_shown_with_file_line_and_reason",
        "datasets/test_lines.py::test_utf_16_is_named_with_or_without_its_mark",
        "datasets/test_lines.py::test_a_last_line_needs_no_end",
    ),
    92: (
        "datasets/test_parquet.py::test_every_value_is_as_json_would_have_it",
        "datasets/test_parquet.py::test_what_no_json_can_hold_is_refused_with_its_row",
        "prompts/test_prompt.py::test_a_response_that_is_no_text_is_shown_as_json_or_as_it_is_written",
    ),
}
"""The tests of each row, relative to this folder's parent."""

NOT_TESTED = {
    88: "a million rows take minutes; `make bench` measures a run of many rows",
}
"""Rows without a test, and why: at most five."""

TABLES = {
    "test_a_lost_reply_is_asked_for_again": test_connection.TRANSIENT,
    "test_a_reply_that_is_lost_every_time_is_a_failed_call": test_connection.TRANSIENT,
    "test_a_body_that_is_no_verdict_has_its_status_and_kind": test_bodies.LASTING,
    "test_a_body_that_is_broken_once_is_asked_for_again": test_bodies.PASSING,
    "test_an_odd_reply_is_read_as_what_it_says_and_never_guessed": test_bodies.READ,
    "test_a_status_has_its_kind_and_its_number_of_requests": test_statuses.LASTING,
    "test_a_status_that_passes_costs_one_retry": test_statuses.PASSING,
    "test_what_only_a_person_can_mend_ends_the_run_within_one_round": test_statuses.FATAL,
    "test_nothing_is_asked_before_the_time_that_the_server_named": test_statuses.HINTED,
}
"""Tests of several rows, and the tables whose first column names them."""


@cache
def written(file: str) -> frozenset[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(each.name for each in tree.body if isinstance(each, ast.FunctionDef))


def told() -> dict[int, tuple[str, ...]]:
    """The tests of each row as the page has them."""
    section = PAGE.read_text(encoding="utf-8").partition(f"## {SECTION}\n")[2].partition("\n## ")[0]
    lines = [line.strip("|").split("|") for line in section.splitlines() if re.match(r"\| \d", line)]
    return {int(cells[0]): tuple(re.findall(r"`(\w+/test_\w+\.py::test_\w+)`", cells[2])) for cells in lines}


def test_every_row_has_its_tests_or_says_why_not() -> None:
    assert sorted([*ROWS, *NOT_TESTED]) == list(range(1, LAST + 1))
    assert len(NOT_TESTED) <= 5


@pytest.mark.parametrize("row", sorted(ROWS))
def test_every_test_of_a_row_exists(row: int) -> None:
    for each in ROWS[row]:
        file, _, name = each.partition("::")
        assert name in written(file), each


@pytest.mark.parametrize("name", sorted(TABLES))
def test_a_test_of_several_rows_is_about_those_that_name_it(name: str) -> None:
    naming = {row for row, tests in ROWS.items() if any(each.endswith(f"::{name}") for each in tests)}
    rows: set[int] = {int(str(line[0])) for line in TABLES[name]}  # type: ignore[attr-defined] # tables of several shapes
    assert naming == rows


def test_every_test_of_this_folder_is_named() -> None:
    named = {each for tests in ROWS.values() for each in tests}
    own = {"test_matrix.py"}
    files = [path.name for path in Path(__file__).parent.glob("test_*.py") if path.name not in own]
    here = {
        f"faults/{file}::{name}" for file in files for name in written(f"faults/{file}") if name.startswith("test_")
    }
    assert here - named == set()


def test_the_page_has_the_same_rows_and_tests() -> None:
    assert told() == {**ROWS, **dict.fromkeys(NOT_TESTED, ())}
