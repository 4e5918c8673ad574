"""The files of the review page, by their addresses: a fixed table, read once, so that no address leads elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
_START_PAGE = "index.html"


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file as it is sent."""

    content: bytes
    media_type: str

    @property
    def tag(self) -> str:
        """Names the content, so that a browser need not fetch it again."""
        return f'"{blake2b(self.content, digest_size=12).hexdigest()}"'


def page_files() -> dict[str, PageFile]:
    """Every file of the page and of the report's parts that it shares, by its address."""
    page, shared = files("arborlink.service") / "page", files("arborlink.report") / "assets"
    table = {f"/page/{name}": file for name, file in _files(page)}
    table |= {f"/assets/{name}": file for name, file in _files(shared) if not name.endswith(".html")}
    if f"/page/{_START_PAGE}" in table:
        table["/"] = table.pop(f"/page/{_START_PAGE}")
    return table


def _files(folder: Traversable) -> Iterator[tuple[str, PageFile]]:
    for entry in folder.iterdir() if folder.is_dir() else ():
        media_type = _TYPES.get("." + entry.name.rpartition(".")[2])
        if media_type is not None and entry.is_file():
            yield entry.name, PageFile(entry.read_bytes(), media_type)


def add_page_files(app: Starlette) -> None:
    """Serve the files of the table, and no others."""
    for address, file in page_files().items():
        app.add_route(address, _sender(file), methods=["GET"], include_in_schema=False)


def _sender(file: PageFile) -> Callable[[Request], Awaitable[Response]]:
    tag = file.tag

    async def sent(request: Request) -> Response:
        headers = {"ETag": tag, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(file.content, media_type=file.media_type, headers=headers)

    return sent
