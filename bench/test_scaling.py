# SPDX-License-Identifier: Apache-2.0
"""The table of the benchmark of scale, from figures that are given."""

import dataclasses

from bench import scaling
from bench.measure import Install

INSTALL = Install(
    seconds=2.0,
    requests_each=7.0,
    writes_each=7.0,
    status_writes_each=2.0,
    cpu_ms_each=4.0,
    resident_megabytes=30.0,
    private_megabytes=25.0,
    peak_megabytes=40.0,
)
SCALE = scaling.Scale(
    count=1000,
    idle_megabytes=5.0,
    install=INSTALL,
    unready_cpu_percent=2.5,
    rest_cpu_percent=0.5,
    rest_requests=3,
    start=scaling.Start(1.5, 0.8, 0.4, 12.3),
    started_megabytes=15.0,
    repairs=scaling.Repairs([0.010, 0.020, 0.030], [0.1] * 200),
)


def test_memory_is_divided_by_the_custom_resources():
    assert SCALE.kilobytes_each(SCALE.install.private_megabytes) == 20.0
    assert SCALE.kilobytes_each(SCALE.started_megabytes) == 10.0


def test_each_count_is_a_column(capsys):
    scaling.print_figures([dataclasses.replace(SCALE, count=100), SCALE])
    lines = capsys.readouterr().out.splitlines()
    cells = {line.split("|")[1].strip(): line.split("|")[2:-1] for line in lines}
    assert [cell.strip() for cell in cells["BookStores"]] == ["100", "1000"]
    assert [cell.strip() for cell in cells["at rest, requests"]] == ["3", "3"]


def test_a_few_repairs_tell_their_longest_and_many_their_p99(capsys):
    scaling.print_figures([SCALE])
    out = capsys.readouterr().out
    assert "20 ms (longest 30)" in out
    assert "100 ms (p99 100)" in out
