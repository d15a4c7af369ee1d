"""Two documents row by row: the ratio of their medians, and whether the difference is more than noise."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.bench.document import MINIGR
from minigr.errors import FormatError

FASTER, SLOWER, SAME, UNCLEAR = "faster", "slower", "no difference", "too few samples"
_EXACT = 60  # samples of both documents up to which the rank test counts all ways
LEVEL = 0.01
"""The chance that the rank test calls two equal things different."""


@dataclass(frozen=True)
class Comparison:
    """One row that both documents have.

    Attributes
    ----------
    key : dict
    unit : str
    before, after : float
        Medians.
    ratio : float
        `after` over `before`; below 1 is an improvement. NaN if both are 0, inf if only `before` is.
    p : float
        The chance that samples of equal things differ in rank as much as these, by the test of Mann and Whitney.
    verdict : str
        ``"faster"`` (for bytes: less), ``"slower"``, ``"no difference"`` or ``"too few samples"``.
    """

    key: dict[str, Any]
    unit: str
    before: float
    after: float
    ratio: float
    p: float
    verdict: str

    @property
    def is_minigr(self) -> bool:
        """Whether the row is one of minigr, not of a peer."""
        return str(self.key.get("by", MINIGR)).partition(",")[0] == MINIGR  # also "minigr, dynamic" and the like


def verdict(before: Sequence[float], after: Sequence[float], threshold: float = 0.05) -> tuple[str, float]:
    """Whether `after` is faster or slower than `before`, and the p-value of the rank test.

    A difference counts if the medians differ by more than `threshold`, and if the rank test finds a difference at the
    level of 1 %. The test asks how far the two sets of samples overlap. If there are too few samples to ever reach this
    level, the verdict is ``"too few samples"``, unless all samples are equal.

    Examples
    --------
    >>> verdict([1.0, 1.1, 1.2, 1.0, 1.1], [2.0, 2.1, 2.2, 2.0, 2.3])[0]
    'slower'
    >>> verdict([1.0, 1.5, 1.2, 1.0, 1.4], [1.3, 1.2, 1.1, 1.5, 1.2])[0]
    'no difference'
    >>> verdict([1.0, 1.0], [2.0, 2.1])[0]
    'too few samples'
    """
    if set(before) == set(after) and len(set(before)) == 1:
        return SAME, 1.0
    # The test is two-sided, so two of all ways to rank the samples are the most extreme.
    if 2 / math.comb(len(before) + len(after), len(before)) > LEVEL:
        return UNCLEAR, 1.0
    p = rank_test(before, after)
    ratio = _ratio(statistics.median(before), statistics.median(after))
    if p >= LEVEL or abs(ratio - 1) <= threshold:
        return SAME, p
    return (FASTER if ratio < 1 else SLOWER), p


def rank_test(before: Sequence[float], after: Sequence[float]) -> float:
    """The chance that samples of two equal things differ in rank at least as much as these; two-sided.

    Mann, Whitney, On a Test of Whether One of Two Random Variables Is Stochastically Larger than the Other (1947). The
    chance is exact, also where samples are equal, which SciPy's exact test does not support. For more than `_EXACT`
    samples it is that of the normal distribution with the variance for ties.

    Examples
    --------
    >>> round(rank_test([1, 2, 3], [4, 5, 6]), 9)  # 2 of the 20 ways to choose three of six are as extreme
    0.1
    """
    both = np.sort(np.concatenate([before, after]))
    count, total = len(before), len(both)

    def doubled_ranks(values: Sequence[float]) -> np.ndarray:  # doubled to be whole: ties have the mean of their ranks
        return np.searchsorted(both, values, "left") + np.searchsorted(both, values, "right") + 1

    mean = count * (total + 1)
    distance = abs(int(doubled_ranks(before).sum()) - mean)
    if total > _EXACT:
        ties = np.unique(both, return_counts=True)[1].astype(float)
        variance = count * (total - count) / 12 * (total + 1 - (ties**3 - ties).sum() / (total * (total - 1)))
        if variance == 0:
            return 1.0  # all are equal
        return min(math.erfc((distance - 1) / math.sqrt(8 * variance)), 1.0)  # minus half a rank for continuity
    ranks = doubled_ranks(list(both))
    ways = np.zeros((count + 1, int(ranks.sum()) + 1))  # ways to choose so many samples with this sum of ranks
    ways[0, 0] = 1
    for rank in ranks:
        ways[1:, rank:] += ways[:-1, :-rank].copy()
    sums = np.arange(ways.shape[1])
    return float(ways[count, abs(sums - mean) >= distance].sum() / math.comb(total, count))


def compare(
    before: Mapping[str, Any], after: Mapping[str, Any], threshold: float = 0.05
) -> tuple[list[Comparison], list[dict[str, Any]], list[dict[str, Any]]]:
    """Match the rows of two documents by their keys.

    Parameters
    ----------
    before, after : mapping
        As `minigr.bench.document.read` returns them.
    threshold : float
        The least change of the median that counts, as a fraction.

    Returns
    -------
    comparisons, only_before, only_after
        The rows that both documents have, in the order of `before`; and the keys of rows that only one has.

    Raises
    ------
    FormatError
        If there is no row that both have.
    """
    rows = [{_identity(found["key"]): found for found in content["rows"]} for content in (before, after)]
    found = []
    for identity, old in rows[0].items():
        new = rows[1].get(identity)
        if new is None:
            continue
        outcome, p = verdict(old["samples"], new["samples"], threshold)
        medians = statistics.median(old["samples"]), statistics.median(new["samples"])
        found.append(Comparison(old["key"], old.get("unit", "ms"), *medians, _ratio(*medians), p, outcome))
    if not found:
        raise FormatError(
            "the two files",
            f"have no row in common: one is of bench {before.get('bench')!r}, the other of {after.get('bench')!r}; "
            "compare runs of one command on the same graphs",
        )
    only = [[old["key"] for identity, old in rows[i].items() if identity not in rows[1 - i]] for i in (0, 1)]
    return found, only[0], only[1]


def pooled(documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Merge several runs of one command into one document: rows with the same key become one row with all samples.

    Parameters
    ----------
    documents : sequence of mapping
        As `minigr.bench.document.read` returns them; at least one. All content except rows is taken from the first.
    """
    rows: dict[str, dict[str, Any]] = {}
    for content in documents:
        for found in content["rows"]:
            known = rows.setdefault(_identity(found["key"]), {**found, "samples": []})
            known["samples"] = [*known["samples"], *found["samples"]]
    return {**documents[0], "rows": list(rows.values())}


def mean_ratio(comparisons: Sequence[Comparison]) -> float:
    """The geometric mean of the ratios of minigr's own rows; NaN if there are none, or if a ratio is not finite.

    Examples
    --------
    >>> pairs = [Comparison({"app": "bfs"}, "ms", 1.0, after, after, 1.0, SAME) for after in (0.5, 2.0)]
    >>> mean_ratio(pairs)
    1.0
    """
    ratios = [pair.ratio for pair in comparisons if pair.is_minigr]
    return statistics.geometric_mean(ratios) if ratios and all(map(math.isfinite, ratios)) else math.nan


def machine_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The differences between the machines of two documents, one line each; any of them may explain a ratio."""
    flat = [_flat({"device": content.get("device"), **content.get("machine", {})}) for content in (before, after)]
    names = sorted({*flat[0], *flat[1]})
    return [
        f"{name}: {flat[0].get(name, 'none')} before, {flat[1].get(name, 'none')} after"
        for name in names
        if flat[0].get(name) != flat[1].get(name)
    ]


def _flat(facts: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in facts.items():
        found |= _flat(value) if isinstance(value, Mapping) else {name: value}
    return found


def _ratio(before: float, after: float) -> float:
    if before == 0:
        return math.nan if after == 0 else math.inf
    return after / before


def _identity(key: Mapping[str, Any]) -> str:
    return json.dumps(key, sort_keys=True)
