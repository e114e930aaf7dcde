"""The pictures of docs/pictures/, a module for each kind. tools/make_pictures.py writes them."""
