"""The GPU tests that CI runs on the emulator.

They cover each operator, schedule, layout and driver, hubs and sinks, the primitives, updates of a `DynamicGraph`, and
the main apps. Most of their time is compilation, so another graph costs little and another program costs much.
"""

from __future__ import annotations

_HUBS = "two_hubs-undirected-float32-cuda or two_hubs-undirected-float32+slabs-cuda"
_SINKS = "star_inwards-directed-float32-cuda or star_inwards-directed-float32+slabs-cuda"
_BATTERY = (
    "test_battery and (two_hubs-directed-float32-cuda or star_inwards-directed-float32-cuda or rmat-directed-cuda)"
)

CHOICE = {
    "tests/jit/test_warps.py": "test_one_after_the_other or test_bits or test_votes",
    "tests/operators/test_advance.py": f"share_a_hub or test_agrees and ({_HUBS} or {_SINKS})"
    f" or (test_strategies_agree or test_only_what_came) and ({_HUBS})",
    "tests/operators/test_bytes.py": f"test_what_is_stored or {_HUBS}",
    "tests/operators/test_columns.py": f"test_atomics_on_cells or {_HUBS}",
    "tests/operators/test_composition.py": f"({_HUBS}) and (test_vertices or test_edges_that"
    " or test_a_push and vertices) or test_a_hub_is_gone or test_a_hub_and",
    "tests/operators/test_intersect.py": f"(test_numbers or test_all_it_is_told) and ({_HUBS}) or test_so_many_hubs",
    "tests/operators/test_pairs.py": f"rows_of_all_lengths or loop_over_pairs or ({_HUBS})",
    "tests/operators/test_items.py": f"(test_filter or test_compute) and ({_HUBS})",
    "tests/operators/test_near_far.py": "test_bands or test_priorities_fall or test_some_wait",
    "tests/operators/test_near_far_ahead.py": "test_distances or test_what or test_steps",
    "tests/operators/test_near_far_at_once.py": "test_agrees or test_deleted_vertices",
    "tests/operators/test_neighbor_reduce.py": f"reduce_hubs or {_HUBS} or test_strategies_agree and ({_SINKS})",
    "tests/operators/test_tuples.py": "test_hubs or test_which or test_output or test_in_a_loop",
    "tests/operators/test_reduce_by_key.py": f"test_agrees and ({_HUBS} or {_SINKS}) or test_rank and ({_HUBS})"
    " or test_rows_of_all_lengths or test_the_best_group",
    "tests/operators/test_repeated_ids.py": "not test_strategies",
    "tests/operators/test_seen_graph.py": "test_near_far or two_hubs-undirected-float32+slabs-cuda",
    "tests/operators/test_sets.py": f"({_HUBS}) or test_by_each_driver",
    "tests/operators/test_what_stays.py": f"({_HUBS}) or test_by_each_driver",
    "tests/primitives": "not past_32_bits",
    "tests/bench/test_functor_overhead.py": "test_both",
    "tests/enactor/test_bins.py": "test_a_vertex_goes_on or test_a_steady_loop",
    "tests/enactor/test_drivers.py": "test_apps_over_the_battery or test_who_does_which_step or test_where_every_step",
    "tests/enactor/test_several_frontiers.py": "test_two_searches or test_frontiers_of_all_kinds",
    "tests/graphs/test_arcs_on_host.py": "not test_answers",
    "tests/graphs/test_from_edges.py": "test_rows or test_long_rows",
    "tests/graphs/test_generate.py": "test_parts",
    "tests/graphs/test_rows_to_search.py": "test_searches or test_parts or test_where",
    "tests/graphs/dynamic/test_dynamic.py": "longer_than_a_block or test_battery and two_hubs"
    " or test_deleted_vertices or test_marked_arcs"
    " or test_edge_weights or test_weight_summary or test_ids_of_edges or test_reports_are",
    "tests/graphs/dynamic/test_whole_batches.py": "test_threads_ask",
    "tests/graphs/dynamic/test_tombstones.py": "test_equal_edges or test_tombstones_of",
    "tests/graphs/dynamic/test_new_vertices.py": "test_edges_among or leaves_no_slabs",
    "tests/graphs/dynamic/test_hints.py": "test_chains_as_long",
    "tests/graphs/dynamic/test_lasting_values.py": "test_edges_keep",
    "tests/partitioned/test_across.py": "test_answers_of_gpus or test_a_part or test_what_others_own"
    " or test_a_vertex_that or test_roots_reach or test_mail_of_hubs",
    "tests/partitioned/test_apps.py": "test_a_trace or test_pulls or test_components_whose"
    " or test_triangles and two_hubs-undirected-float32",
    "tests/partitioned/test_dask.py": "test_answers",
    "tests/partitioned/test_dynamic.py": "test_a_problem_lives_on or test_a_part_that_fails or test_edges_since"
    " or test_battery and two_hubs-undirected-float32",
    "tests/partitioned/test_graph.py": "not test_all_parts or two_hubs",
    "tests/partitioned/test_mpi_gpus.py": "test_answers or test_a_process",
    "tests/partitioned/test_programs.py": "test_a_claim or test_operators_over or test_bands or test_an_error"
    " or test_pulls_for",
    "tests/partitioned/test_read.py": "test_a_folder_of",
    "tests/partitioned/test_rooms.py": "test_a_later or test_scalars or test_a_run or test_runs_at or other_ghosts",
    "tests/partitioned/test_sets.py": "test_programs_in_turn or test_a_step",
    "tests/partitioned/test_team.py": "test_kinds or test_edges",
    "tests/partitioned/test_write.py": "test_each_format or test_save",
    "tests/apps/test_bfs.py": f"{_BATTERY} or test_both_directions",
    "tests/apps/test_sssp.py": f"{_BATTERY} or test_parents_in_long_rows",
    "tests/apps/test_pagerank.py": f"{_BATTERY} or test_dangling_vertices",
    "tests/apps/test_edge_betweenness.py": "test_battery and two_hubs-undirected-float32-cuda",
    "tests/apps/test_degrees.py": "test_over_slabs or test_deleted_vertices",
    "tests/apps/test_katz.py": f"{_BATTERY} or test_deleted_vertices",
    "tests/apps/test_personalized_pagerank.py": "test_over_slabs or test_without_out_edges",
    "tests/apps/test_approximate.py": "test_few_vertices or test_what_estimates_are_made_of",
    "tests/apps/test_components.py": _BATTERY,
    "tests/apps/test_label_propagation.py": f"{_BATTERY} or test_over_slabs and float64",
    "tests/apps/test_louvain.py": f"{_BATTERY} or test_over_slabs and float64 or test_a_level_ends",
    "tests/apps/test_leiden.py": f"{_BATTERY} or test_parts_are",
    "tests/apps/test_extreme_weights.py": "subnormal or near_the_ends",
    "tests/graphs/test_contract.py": "test_self_loops",
    "tests/graphs/test_weight_summary.py": "test_weight_summary",
    "tests/graphs/test_edit.py": "test_of_many_parallel_edges or test_one_of_parallel_edges or"
    " test_weights_for_edges and duplicate",
    "tests/apps/test_biconnected.py": "test_over_slabs or test_battery and (two_hubs or lattice or duplicate)",
    "tests/apps/test_random_walks.py": "test_over_slabs",
    "tests/apps/test_negative_samples.py": "test_over_slabs",
    "tests/apps/test_neighbor_sampling.py": "test_over_slabs or test_battery and (two_hubs or lattice)",
    "tests/apps/test_bipartite.py": "test_over_slabs or test_battery and (two_hubs or lattice)",
    "tests/apps/test_subgraphs.py": "test_by_weights or test_deleted_vertices",
    "tests/apps/test_all_pairs.py": "test_by_weight",
    "tests/apps/test_earliest_arrival.py": "test_battery and rmat_with_repeats-directed-cuda",
    "tests/apps/test_k_shortest_paths.py": "test_battery and two_hubs-directed-float32-cuda",
    "tests/apps/test_paths.py": "test_around_cycles",
    "tests/apps/test_shortest_path.py": "test_battery and two_hubs-directed-float32-cuda",
    "tests/apps/test_maximal_matching.py": "test_the_same_as_a_plain_loop and two_hubs or test_a_gpu_gives_up",
    "tests/apps/test_bipartite_matching.py": "test_random_graphs",
    "tests/apps/test_maximum_flow.py": "test_drivers_agree or test_random_graphs",
    "tests/apps/test_dag.py": "test_over_slabs or test_acyclic_graphs_over_the_battery and (two_hubs or lattice)",
    "tests/apps/test_eccentricity.py": "test_over_slabs or test_bounds_hold or test_battery and (two_hubs or wheel)",
    "tests/apps/test_assortativity.py": "test_over_slabs or test_battery and two_hubs",
    "tests/apps/test_cliques.py": "test_many_and_wide",
    "tests/apps/test_truss.py": "test_triangles_of_edges",
    "tests/apps/test_similarity.py": "test_little_at_a_time or test_against_networkx",
}
"""The tests of each file or folder, as an expression for option -k of pytest."""


def arguments() -> list[str]:
    """Return the arguments of pytest that choose these tests.

    Examples
    --------
    >>> *paths, option, expression = arguments()
    >>> paths[0], option, expression[:29]
    ('tests/jit/test_warps.py', '-k', '(test_warps.py and (test_one_')
    """
    each = (f"({path.rpartition('/')[2]} and ({expression}))" for path, expression in CHOICE.items())
    return [*CHOICE, "-k", " or ".join(each)]
