"""Bytes that are not what the media type says, too large, or no type that is taken.

What it finds
-------------
An image whose first bytes are those of another format than its stated type, whose stated type is not taken, whose
base64 text is longer than the limit, or whose sides are longer than the limit, and one whose bytes are markup (SVG,
HTML) and no picture.  Only the head of the bytes is looked at; bytes of no known format say nothing.

Why it hurts
------------
The request is refused, for ever, as the image is part of the history.  It happens when a type is guessed from a file
name, or when a picture is stored as it comes.

Fix
---
safe: the stated type becomes what the bytes show.  None for a picture that is too large: it would have to be drawn
anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Place
from turnlint.model import Media, Result, State
from turnlint.repair import SetValue
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.media import is_markup, sides_of, type_of
from turnlint_rules.wording import brief

if TYPE_CHECKING:
    from collections.abc import Iterator

RULE_NAME = "mismatched-media"
#: Spellings of one type.
SAME = {"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png"}


def check(context: Context) -> Iterator[Finding]:
    images = [m for m in media_of(context) if m.media == "image"]
    for image in images:
        found = (
            _declared(image, context)
            or _markup(image, context)
            or _bytes(image, context)
            or _sides(image, len(images), context)
        )
        if found is not None:
            yield found


def media_of(context: Context) -> Iterator[Media]:
    """All media of a history, those inside results included."""
    for part in context.transcript.parts():
        if isinstance(part, Media):
            yield part
        elif isinstance(part, Result):
            yield from (p for p in part.parts if isinstance(p, Media))


def _declared(image: Media, context: Context) -> Finding | None:
    """The stated type is not taken, or is another than the bytes show."""
    stated = image.media_type
    if not isinstance(stated, str) or image.data is None:
        return None
    seen = type_of(image.data) if isinstance(image.data, str) else None
    at = image.media_type_at or image.data_at or image.at
    verdict = context.minds(RULE_NAME, "declared-type")
    allowed = verdict.limits.get("allowed") if verdict is not None else None
    if isinstance(allowed, tuple) and stated not in allowed:
        real = seen or SAME.get(stated.lower())
        fix = _retype(image.media_type_at, real) if real in allowed else None
        says = f"the media type {brief(stated)!r} is not taken"
        return Finding(at, says, variant="declared-type", subject=image, fill={"n": brief(stated)}, fix=fix)
    plain = stated.lower().partition(";")[0].strip()
    if seen is None or SAME.get(plain, plain) == seen:
        return None
    return Finding(
        at,
        f"the image is stated to be {brief(stated)}, and its bytes are {seen}",
        variant="media-type",
        subject=image,
        cause="the type was told by the name of a file, or fixed in the program",
        fill={"n": brief(stated)},
        fix=_retype(image.media_type_at, seen) if seen.startswith("image/") else None,
    )


def _markup(image: Media, context: Context) -> Finding | None:
    if not context.minds(RULE_NAME, "no-image") or not isinstance(image.data, str) or not is_markup(image.data):
        return None
    return Finding(
        image.data_at or image.at,
        "the bytes are markup, and no picture",
        variant="no-image",
        subject=image,
        cause="the type was told by the name of a file, or a page of an error was stored in place of the picture",
        help="draw it as a picture, or send it as a text",
    )


def _retype(at: Place | None, to: str | None) -> Fix | None:
    return Fix(f"state {to}", verbs=(SetValue(at, to),)) if at is not None and to is not None else None


def _bytes(image: Media, context: Context) -> Finding | None:
    verdict = context.minds(RULE_NAME, "too-large")
    most = verdict.limits.get("maximum") if verdict is not None else None
    if not isinstance(most, int) or not isinstance(image.data, str) or len(image.data) <= most:
        return None
    return Finding(
        image.data_at or image.at,
        f"the image has {len(image.data)} bytes as base64, and {most} are taken",
        variant="too-large",
        subject=image,
        fill={"n": len(image.data)},
        help="send a smaller picture",
    )


def _sides(image: Media, count: int, context: Context) -> Finding | None:
    variants = [v for v in ("dimensions", "dimensions-many") if context.minds(RULE_NAME, v)]
    sides = sides_of(image.data) if variants and isinstance(image.data, str) else None
    if sides is None:
        return None
    for variant in variants:
        verdict = context.minds(RULE_NAME, variant)
        assert verdict is not None
        most, many = verdict.limits.get("maximum"), verdict.limits.get("count", 0)
        if isinstance(most, int) and isinstance(many, int) and max(sides) > most and count > many:
            return Finding(
                image.data_at or image.at,
                f"the image is {sides[0]} x {sides[1]} pixels, and {most} a side are taken",
                variant=variant,
                subject=image,
                fill={"n": max(sides)},
                help="send a smaller picture",
            )
    return None


def _image(media_type: str, data: str) -> list[object]:
    source = {"type": "base64", "media_type": media_type, "data": data}
    return [{"role": "user", "content": [{"type": "image", "source": source}]}]


#: The head of a PNG of 9000 x 10 pixels.
_WIDE = "iVBORw0KGgoAAAANSUhEUgAAIygAAAAKCAYAAAA="

RULE = Rule(
    check,
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD}),
    valid=(
        Example(_image("image/png", "iVBORw0KGgo="), target="anthropic"),
        Example(_image("image/png", "AAAA"), target="anthropic", title="bytes that show no known format"),
    ),
    invalid=(
        Example(
            _image("image/png", "/9j/4AAQSkZJRgABAQ=="),
            target="anthropic",
            at="/0/content/0/source/media_type",
            says="Image does not match the provided media type image/png",
            fixed=_image("image/jpeg", "/9j/4AAQSkZJRgABAQ=="),
        ),
        Example(
            _image("image/jpg", "/9j/4AAQ"),
            target="anthropic",
            at="/0/content/0/source/media_type",
            says="messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg'",
            fixed=_image("image/jpeg", "/9j/4AAQ"),
        ),
        Example(
            _image("image/png", "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4="),
            target="anthropic",
            at="/0/content/0/source/data",
            says="Could not process image",
        ),
        Example(
            _image("image/png", _WIDE),
            target="anthropic",
            at="/0/content/0/source/data",
            says="At least one of the image dimensions exceed max allowed size: 8000 pixels",
        ),
    ),
)
