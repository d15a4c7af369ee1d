"""Other libraries, called as their users call them, to be timed in turn with minigr.

A peer is one function that takes a graph and returns the calls to time. The conversion of the graph is not timed,
because minigr's graph is ready before its calls, too. The `what` of a call says what is compared, because no two
libraries return exactly the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigr.bench.peers import of_cugraph, of_graphblas, of_igraph, of_networkit, of_networkx, of_pyg, of_scipy
from minigr.bench.peers.peer import Peer, PeerCall
from minigr.errors import GraphError

__all__ = ["PEERS", "Peer", "PeerCall", "choose"]

PEERS = {
    peer.name: peer
    for peer in (
        Peer("scipy", "scipy", "scipy", "cpu", of_scipy.calls),
        Peer("networkx", "networkx", "networkx", "cpu", of_networkx.calls, most_arcs=1_000_000),
        Peer("igraph", "igraph", "igraph", "cpu", of_igraph.calls),
        Peer("networkit", "networkit", "networkit", "cpu", of_networkit.calls, spins=True),
        Peer("graphblas", "graphblas", "python-graphblas", "cpu", of_graphblas.calls, spins=True),
        Peer("pyg", "pyg_lib", "pyg-lib", "cpu", of_pyg.calls, spins=True, how="as PyTorch Geometric's pages say"),
        Peer("cugraph", "cugraph", "cugraph", "cuda", of_cugraph.calls),
    )
}
"""All peers by name."""


def choose(names: Sequence[str] | None, graph: Any) -> tuple[list[Peer], dict[str, str]]:
    """The peers to time on a graph, and for each other peer, by name, why it is left out.

    Parameters
    ----------
    names : sequence of str or None
        Names of `PEERS`. None: all peers that run on the graph's device and are not too slow for its size.

    Raises
    ------
    GraphError
        If a peer is named that runs on another device.

    Examples
    --------
    >>> import minigr as mg
    >>> found, absent = choose(["scipy"], mg.generate.path(3, device="cpu"))
    >>> [peer.name for peer in found], absent
    (['scipy'], {})
    """
    kind = graph._device.kind
    chosen, absent = [], {}
    for name in [peer.name for peer in PEERS.values() if peer.device == kind] if names is None else names:
        peer = PEERS[name]
        if peer.device != kind:
            raise GraphError(f"{name} runs on {peer.device}, and the graph is on {kind}: leave it out of --peers")
        if not peer.is_installed:
            absent[name] = f"not installed ({peer.how or f'pip install {peer.package}'})"
        elif names is None and peer.most_arcs is not None and graph.num_arcs > peer.most_arcs:
            absent[name] = f"left out above {peer.most_arcs:,} arcs (--peers {name} to have it)"
        else:
            chosen.append(peer)
    return chosen, absent
