"""Metrics: counts and timings in the text format of Prometheus, without personal data."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

_BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class Metrics:
    """Counts requests by route and status, and how long they took."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._buckets: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(_BOUNDS_S) + 1))

    def count(self, route: str, status: int, seconds: float) -> None:
        """Count one answered request."""
        self._requests[route, status] += 1
        self._seconds[route] += seconds
        self._buckets[route][bisect_left(_BOUNDS_S, seconds)] += 1

    def totals(self) -> tuple[int, int]:
        """Return how many requests there were, and how many of them failed by a fault of the server."""
        return self._requests.total(), sum(n for (_, status), n in self._requests.items() if status >= 500)

    def text(self, gauges: Iterable[tuple[str, str, float]]) -> str:
        """Write everything; gauges are (name, study, value)."""
        return "\n".join([*self._request_lines(), *_gauge_lines(gauges), ""])

    def _request_lines(self) -> Iterator[str]:
        yield "# TYPE understudy_requests_total counter"
        for (route, status), n in sorted(self._requests.items()):
            yield f'understudy_requests_total{{route="{route}",status="{status}"}} {n}'
        yield "# TYPE understudy_request_seconds histogram"
        for route, counts in sorted(self._buckets.items()):
            total = 0
            for bound, n in zip((*map(str, _BOUNDS_S), "+Inf"), counts, strict=True):
                total += n
                yield f'understudy_request_seconds_bucket{{route="{route}",le="{bound}"}} {total}'
            yield f'understudy_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}'
            yield f'understudy_request_seconds_count{{route="{route}"}} {total}'


def _gauge_lines(gauges: Iterable[tuple[str, str, float]]) -> Iterator[str]:
    named: defaultdict[str, list[str]] = defaultdict(list)
    for name, study, value in gauges:
        named[name].append(f'understudy_{name}{{study="{study}"}} {value:g}')
    for name, lines in named.items():
        yield f"# TYPE understudy_{name} gauge"
        yield from lines
