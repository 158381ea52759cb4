"""Sphinx settings of the site; scripts/docs copies it beside the pages that it makes."""
project = "tidewatt"
copyright = "the tidewatt authors, Apache-2.0"
extensions = ["myst_parser"]
html_theme = "sphinx_rtd_theme"
html_theme_options = {"navigation_depth": 2, "collapse_navigation": True}
html_show_sphinx = False
myst_heading_anchors = 3
# Code blocks hold equations and commands in no one language.
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure"]
html_static_path = ["_style"]
html_css_files = ["site.css"]
html_copy_source = False
