"""PGN of any form: a reader in plain Python that knows comments, escapes, glued games and broken tags.

`transitivity.sources.pgn` hands over what its compiled scanner does not take. A game begins with a tag pair outside
comments: the first of a file; an Event tag; or, after moves, any tag pair that follows a blank line or a result.
"""

from __future__ import annotations

import re
from collections.abc import Callable

BOM = b"\xef\xbb\xbf"
#: A line longer than this is taken in pieces, and moves beyond it do not tell games apart: memory stays bounded.
_LONGEST = 1 << 20
#: In a line up to this length a tag that is alone may hold quotes and brackets that are not escaped.
_LONGEST_TAG = 1 << 16
#: A tag section with none of these tags is not counted as a game.
_GAME_TAGS = frozenset({b"Event", b"White", b"Black", b"Result"})
_RESULTS = frozenset({b"1-0", b"1/2-1/2", b"0-1", b"*"})

_NAME = rb'\[([A-Za-z0-9][\w+#=:-]*)[ \t]+"'
_BLANKS = rb"[ \t\r\v\f]*"
_GAP = re.compile(_BLANKS + rb"\n?")
_USUAL_TAG = re.compile(_NAME + rb'([^"\\\[\]\r\n]*)"\]\r?\n', re.ASCII)
_ONLY_TAG = re.compile(_NAME + rb'(.*)"' + _BLANKS + rb"\]" + _BLANKS, re.ASCII)
_TAG = re.compile(_NAME + rb'([^"\\\n]*+(?:\\.[^"\\\n]*+)*+)"' + _BLANKS + rb"\]" + _BLANKS, re.ASCII)
_BETWEEN_TAGS = re.compile(rb'"' + _BLANKS + rb"\]" + _BLANKS + _NAME, re.ASCII)
_BROKEN_TAG = re.compile(rb"\[(?:White|Black|Result)[ \t]")
_EVENT = re.compile(rb'\[Event[ \t]+"')
_EVENT_LINE = re.compile(rb"^\s*\[Event ", re.MULTILINE)
#: Moves with the comments among them, except a comment that has no end yet or holds what looks like a game.
_MOVES = re.compile(rb"(?:[^{;\[%]++|\{(?![^}]*\[Event )[^}]*+\}|;[^\n]*+)*+")
#: What is not moves among them; braces stay, because a line with a comment is not blank.
_NOT_MOVES = re.compile(rb"(\{)[^}]*(\})|(?<=\n);[^\n]*\n|;[^\n]*|(?<=\n)" + BOM)
_COMMENT = re.compile(rb"\{[^}]*\}|;[^\n]*")
_BRACKETED = re.compile(rb"[()]|[^()]+")


class PlainReader:
    """Finds the games of one file, in memory that is bounded by a line and a tag section.

    Parameters
    ----------
    count : callable
        Takes the tags of the next game and, with `keep_moves`, its moves.
    note : callable
        Takes what is unusual, and whether it belongs to the game that is not counted yet.
    keep_moves : bool
        Whether the moves are needed.
    """

    def __init__(
        self, count: Callable[[dict[bytes, bytes], bytes], None], note: Callable[[str, bool], None], keep_moves: bool
    ) -> None:
        self._count, self._note, self._keep_moves = count, note, keep_moves
        self._rest = b""
        # Whether the next bytes continue a line of which a piece was taken already.
        self._inside_line = False
        self._in_comment = self._in_moves = False
        # Whether a blank line, or a result, came since the last tag or move.
        self._blank = self._ended = False
        self._tags: dict[bytes, bytes] = {}
        self._moves = b""

    @property
    def between_games(self) -> bool:
        """Whether a line that starts with [Event would begin a game."""
        ready = self._in_moves or not self._tags or self._blank or b"Event" in self._tags
        return ready and not (self._rest or self._inside_line or self._in_comment)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the file."""
        data = self._rest + data
        end = data.rfind(b"\n") + 1
        if len(data) - end > _LONGEST:
            # Games may be glued to one line.
            end = max(end, data.rfind(b"[Event ")) or len(data)
            end = end if len(data) - end <= _LONGEST else len(data)
        self._rest = data[end:]
        self._read(data[:end])

    def close(self) -> None:
        """Take the end of the file."""
        self._read(self._rest)
        self._rest = b""
        if self._in_comment:
            self._note("comment without an end", bool(self._tags))
        self.finish()

    def finish(self) -> None:
        """End the present game, if there is one."""
        if not _GAME_TAGS.isdisjoint(self._tags):
            self._count(self._tags, _main_line(self._moves) if self._keep_moves else b"")
        self._tags, self._moves = {}, b""
        self._in_moves = self._blank = self._ended = False

    def _read(self, data: bytes) -> None:
        """Take whole lines, or a piece of a very long one."""
        at = 0
        while at < len(data):
            if self._in_comment:
                at = self._read_comment(data, at)
            elif self._in_moves:
                at = self._read_moves(data, at)
            elif tag := _USUAL_TAG.match(data, at):
                self._take_tag(tag[1], tag[2])
                at = tag.end()
            else:
                at = self._read_section(data, at)
        if data:
            self._inside_line = not data.endswith(b"\n")

    def _starts_line(self, data: bytes, at: int) -> bool:
        """Whether a place is the start of a line."""
        return data[at - 1] == 10 if at else not self._inside_line

    def _read_comment(self, data: bytes, at: int) -> int:
        """Take a comment up to its end, if it has one; return where the rest starts."""
        end = data.find(b"}", at) + 1
        self._in_comment = not end
        for _ in _EVENT_LINE.findall(data, at, end or len(data)):
            self._note("tags inside a comment", bool(self._tags))
        return end or len(data)

    def _read_section(self, data: bytes, at: int) -> int:
        """Take the rest of a line outside the moves of a game; return where the next starts, or the moves."""
        starts_line = self._starts_line(data, at)
        if starts_line and data.startswith(BOM, at):
            at += len(BOM)
        start = _GAP.match(data, at).end()  # type: ignore[union-attr]  # It matches nothing, too.
        if start == len(data) or (data[start - 1 : start] == b"\n" and start > at):
            self._blank |= starts_line
            return start
        if data[start] == ord("[") and starts_line:
            return self._take_tags(data, start) or self._skip_broken(data, start)
        if data[start] == ord(";") or (data[at] == ord("%") and starts_line):
            return _next_line(data, start)
        self._in_moves, self._blank, self._ended = True, False, False
        return start

    def _read_moves(self, data: bytes, at: int) -> int:
        """Take moves up to what may not belong to them; return where that is, or what follows it starts."""
        stop = _MOVES.match(data, at).end()  # type: ignore[union-attr]  # It matches nothing, too.
        moves = data[at:stop]
        if self._keep_moves and len(self._moves) < _LONGEST:
            self._moves += moves
        if _EVENT.match(data, stop) and (end := self._take_tags(data, stop)):
            return end
        if self._starts_line(data, at):
            moves = b"\n" + moves
        moves = _NOT_MOVES.sub(rb"\1\2", moves)
        text = moves.rstrip()
        self._blank = moves.count(b"\n", len(text)) > 1 or (self._blank and not text)
        if words := text.replace(b"{}", b" ").rsplit(None, 1):
            self._ended = words[-1] in _RESULTS
        what = data[stop : stop + 1]
        if what == b"{":
            self._in_comment, self._blank = True, False
        elif what == b"%" and self._starts_line(data, stop):
            return _next_line(data, stop)
        elif what == b"[" and moves.find(b"\n", len(text)) >= 0 and (self._blank or self._ended):
            return self._take_tags(data, stop) or self._skip_broken(data, stop)
        elif what:
            self._blank = False
        return stop + 1

    def _skip_broken(self, data: bytes, at: int) -> int:
        """Skip a line that starts as a tag but is none; return where the next starts."""
        if _BROKEN_TAG.match(data, at):
            self._note("broken tag", True)
        return _next_line(data, at)

    def _take_tags(self, data: bytes, at: int) -> int:
        """Take the tag pairs of a line from a place on; return where the rest starts, or 0 if there is none."""
        end = data.find(b"\n", at, at + _LONGEST_TAG)
        end = end if end >= 0 else len(data)
        if end - at < _LONGEST_TAG:
            tag = _ONLY_TAG.fullmatch(data, at, end)
            if tag and not _BETWEEN_TAGS.search(data, at, end):
                self._take_tag(tag[1], tag[2])
                return min(end + 1, len(data))
        found = 0
        while tag := _TAG.match(data, at):
            self._take_tag(tag[1], tag[2])
            found = at = tag.end()
        return found

    def _take_tag(self, name: bytes, value: bytes) -> None:
        """Take a tag pair: of the present game, or the first of the next."""
        again = name == b"Event" or name in self._tags
        if self._in_moves or (again and (self._blank or name == b"Event" in self._tags)):
            self.finish()
        self._tags[name] = value
        self._blank = False


def _next_line(data: bytes, at: int) -> int:
    """Return where the line after a place starts, or where the data end."""
    return data.find(b"\n", at) + 1 or len(data)


def _main_line(moves: bytes) -> bytes:
    """Return the moves that were played: without comments, evaluations ($1, !?), move numbers and variations."""
    if b"{" in moves or b";" in moves:
        moves = _COMMENT.sub(b" ", moves)
    if b"(" in moves:
        depth, played = 0, []
        for part in _BRACKETED.findall(moves):
            depth = depth + 1 if part == b"(" else max(depth - 1, 0) if part == b")" else depth
            if depth == 0:
                played.append(part.strip(b")"))
        moves = b" ".join(played)
    words = moves.replace(b".", b" ").replace(b"$", b" $").translate(None, b"!?").split()
    return b" ".join(word for word in words if word[0] not in b"$0123456789*")
