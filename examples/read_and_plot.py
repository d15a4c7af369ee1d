"""Read a graph, print facts about it, and draw its degrees and how a search spreads.

    python examples/read_and_plot.py [GRAPH [PICTURES]]        needs minigr[plot]

The names of both pictures begin with PICTURES.
"""

import sys

import minigr as mg


def main(name="wordnet", pictures="read_and_plot"):
    graph = mg.read(name)
    degree = mg.device.CPU.asarray(graph.degree())
    source = int(degree.argmax())
    result = mg.bfs(graph, source, trace=True)
    print(graph)
    print(f"degrees: mean {degree.mean():.2f}, greatest {degree.max()} (vertex {source})")
    print(result.trace)

    for what, figure in (("degrees", mg.plot.degrees(graph)), ("search", mg.plot.trace(result))):
        path = f"{pictures}_{what}.png"
        mg.plot.save(figure, path)
        print(f"wrote {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
