"""Urls: which ones can be fetched, and how to print one without the password in it."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from transitivity.errors import InputError

#: What to do with a name and password that stand in a url.
NETRC = "put the user name and password into ~/.netrc instead (docs/downloads.md)"


def check_url(url: str) -> None:
    """Raise InputError, without printing a password, if a url cannot be fetched or contains a user name.

    Parameters
    ----------
    url : str
        It must start with https://, http:// or file:.
    """
    try:
        parts = urlsplit(url)
        # A port that is not a number is often the start of a password with a slash in it.
        port = parts.port
    except ValueError:
        raise _refused(url) from None
    if parts.scheme in ("http", "https") and parts.hostname:
        if "@" in parts.netloc or (port is not None and "@" in url):
            raise InputError(f"the url {hidden(url)!r} contains a user name; {NETRC}.")
    elif parts.scheme != "file" or not parts.path or parts.netloc not in ("", "localhost"):
        raise _refused(url)


def _refused(url: str) -> InputError:
    """Return the error for what is not a url."""
    return InputError(
        f"the url {hidden(url)!r} cannot be fetched; give one that starts with https://, http:// or file:."
    )


def hidden(url: str) -> str:
    """Return a url without all that could be a user name and password: what stands before its last @."""
    return re.sub(r"^(\w+://)?.*@", r"\1***@", url, count=1, flags=re.DOTALL)


def hidden_in(text: str) -> str:
    """Return a text in which what could be a password is hidden, from the first :// to the last @."""
    return re.sub(r"://.*@", "://***@", text, flags=re.DOTALL)
