"""After any history an erased value is gone, or the answers named where it may be."""

import erase_histories


def test_an_erased_value_is_in_no_byte_of_the_folder_or_was_named():
    """python tests/support/erase_histories.py does it a hundred times."""
    assert erase_histories.run_histories(2, seed=5) > 0
