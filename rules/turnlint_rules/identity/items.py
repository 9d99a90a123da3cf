"""What the items of Responses need an ID for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turnlint.diagnostic import Place
    from turnlint.model import Message
    from turnlint.rule import Context


def spare_id(message: Message, context: Context) -> Place | None:
    """Where an item has an ID that it can do without: the target takes items of its type by their content alone."""
    needed = context.minds("missing-item-id")
    types = needed.limits.get("values", ()) if needed is not None else ()
    return None if isinstance(types, tuple) and message.item in types else message.id_at
