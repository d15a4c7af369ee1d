"""Sphinx: Markdown pages, and the API reference from docstrings."""

from minigr import __version__

project = "minigr"
author = "the minigr developers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
html_theme = "alabaster"
html_theme_options = {"description": "Graph programs in Python, on CPU and GPU", "fixed_sidebar": True}

myst_heading_anchors = 3  # so that pages can link to each other's headings

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_google_docstring = False
napoleon_use_rtype = False
