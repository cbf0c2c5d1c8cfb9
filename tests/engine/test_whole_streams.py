"""Every row of four real streams: the dumps of both engines, byte for byte."""

import pytest

from abacoc.cli import main

STREAMS = ["electricity", "sea", "poker", "connect-4"]


@pytest.mark.slow
@pytest.mark.parametrize("reading", ["paper", "authors"])
@pytest.mark.parametrize("name", STREAMS)
def test_dumps_are_identical(data_folder, tmp_path, name, reading):
    dumps = []
    for engine in ("reference", "compiled"):
        path = tmp_path / engine
        assert (
            main(["run", name, "--engine", engine, "--reading", reading, "--dump", str(path)]) == 0
        )
        dumps.append(path.read_bytes())
    assert dumps[0] == dumps[1]
