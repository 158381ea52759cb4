"""Sphinx settings of the site; scripts/docs copies it beside the pages that it makes."""
project = "tidewatt"
copyright = "the tidewatt authors, Apache-2.0"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "numpydoc"]
html_theme = "furo"
html_title = "tidewatt"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["_style"]
html_css_files = ["site.css"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b4f7d", "color-brand-content": "#0b4f7d"},
    "dark_css_variables": {"color-brand-primary": "#6cb6e8", "color-brand-content": "#6cb6e8"},
}
pygments_style = "friendly"
highlight_language = "none"

# Markdown
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
myst_update_mathjax = False

# Equations: MathJax beside the pages, no network.
mathjax_path = "mathjax/MathJax.js?config=TeX-AMS_CHTML"
mathjax2_config = {
    "tex2jax": {"inlineMath": [["\\(", "\\)"]], "displayMath": [["\\[", "\\]"]]},
    "CommonHTML": {"linebreaks": {"automatic": True}, "scale": 95},
    "showMathMenu": False,
    "messageStyle": "none",
}

# Python API
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
numpydoc_class_members_toctree = False
numpydoc_show_class_members = False
default_role = "py:obj"
suppress_warnings = ["misc.highlighting_failure", "myst.nested_header"]
