"""What starts an engine, and so is no part of `make check`."""

import sys
from pathlib import Path
from typing import Any

import pytest

from helm_structext.sandbox import launcher
from support import commands

ENGINES = {
    *("bwrap", "chromium", "chromium-headless-shell", "chromedriver", "jekyll", "lilypond"),
    *("node", "pdflatex", "pdftoppm", "tesseract"),
    *("helm-run", "helm-server", "helm-structext", "helm-summarize"),
}
"""The sandbox, the programs that run in it, and commands that take seconds to start."""
STARTERS = {launcher.__file__, commands.__name__}
"""What stands in the arguments where the program is Python."""
UNSEEN = {
    "app",
    "browser",
    "light_core",
    "helm_structext.renderers.render",
    "test_a_judge_that_the_server_was_started_with_looks_at_pictures",
    "test_cache_is_shared_by_processes",
    "test_format_is_made_once_by_many_at_a_time",
    "test_programs_run",
}
"""Tests and fixtures that start one where it can't be skipped: in a doctest that ends in an exception,
or in another process; or where others have worked for it by then."""

LONG = {
    "imagenet",
    "site",
    "tried",
    "test_a_call_that_ends_every_worker_is_an_error_and_harms_no_other",
    "test_a_checked_set_reports_what_was_proven_and_dropped",
    "test_a_picture_takes_less_than_the_limit",
    "test_a_run_in_three_parts_is_written_as_by_one_job",
    "test_a_set_is_read_by_the_scenario_and_scored",
    "test_all_published_questions_load_prompt_extract_and_score",
    "test_an_index_takes_the_distributions",
    "test_attacks_have_no_effect_whoever_runs_us",
    "test_batch_size_and_what_was_seen_before_change_nothing",
    "test_damaged_weights_are_an_error_that_says_what_to_do",
    "test_edit_similarity_equals_helm",
    "test_equals_helm",
    "test_equals_the_solution_from_ten_thousand_costs",
    "test_fid_similarity_equals_helm",
    "test_inception_similarity_is_the_cosine_of_what_enters_the_last_layer",
    "test_it_breaks_no_rule_of_accessibility",
    "test_it_waits_as_long_as_it_is_told_and_says_so",
    "test_killed_anywhere_and_continued_it_is_the_same_round",
    "test_lpips_similarity_equals_the_lpips_package",
    "test_memory_does_not_grow_with_the_file",
    "test_metrics_whose_process_dies",
    "test_middle_square_is_what_helm_cuts_out",
    "test_pictures_differ_in_kind_language_and_difficulty",
    "test_processes_share_the_work_and_one_that_ends_is_replaced",
    "test_queue_and_start_of_engines_do_not_count",
    "test_sets_of_different_seeds_share_no_question",
    "test_suite_may_follow_an_option_that_takes_several_names",
    "test_the_runs_of_all_conf_files_read_the_published_data_and_fetch_it_once",
    "test_the_same_seed_and_number_give_the_same_picture",
    "test_there_are_as_many_workers_as_said_and_none_runs_the_main_module",
    "test_thousands_of_hostile_texts_break_no_promise",
    "test_torch_is_not_loaded_for_a_solver_that_does_not_use_it",
    "test_values_are_those_of_whole_pictures",
    "test_workers_end_with_a_parent_that_was_killed",
}
"""Tests and fixtures that take seconds without an engine, and so are no part of `make check` either."""


def skip_engines() -> None:
    """From now on, a test that starts one of `ENGINES` is skipped at that moment.

    So no test needs a mark, and none can have a wrong one.
    """

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "subprocess.Popen":
            name = Path(str(arguments[0])).name
            if name in ENGINES or STARTERS & {*map(str, arguments[1])}:
                pytest.skip(f"starts {name}")

    sys.addaudithook(watch)
