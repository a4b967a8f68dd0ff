"""The compiled functions: C sources and `library`, which loads them."""
