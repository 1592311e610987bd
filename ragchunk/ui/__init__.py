"""The Streamlit panels of the page, one a file. Only app.py imports them."""
