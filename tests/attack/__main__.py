"""Attacks a server of one's own, and reports how long everybody else waits meanwhile.

    python -m tests.attack --url http://localhost:8000 --cookie "lineup_session=…" [names…]

Each attack runs in a process of its own, so that it does not slow down the process that measures.
"""

import click

from tests.attack.attacks import ATTACKS
from tests.attack.measure import measure
from tests.attack.target import Target

_HEADINGS = ("attack", "quiet p95 ms", "p95 ms", "ratio", "failures")


@click.command()
@click.option("--url", required=True, help="Address of the server; attack only your own.")
@click.option("--cookie", default="", help="Cookie header of a signed-in admin.")
@click.option("--other", default="", help="Cookie header of an admin who waits.")
@click.option("--key", default="", help="Key of the bot API.")
@click.option("--seconds", default=4.0, show_default=True, help="Length of each attack.")
@click.option("--ratio", default=3.0, show_default=True, help="Ratio above which it fails.")
@click.argument("names", nargs=-1)
def main(
    url: str,
    cookie: str,
    other: str,
    key: str,
    seconds: float,
    ratio: float,
    names: tuple[str, ...],
) -> None:
    """Runs the attacks of these NAMES; all that are possible without names."""
    target = Target(url.rstrip("/"), cookie, key, other)
    unknown = set(names) - set(ATTACKS)
    if unknown:
        raise click.UsageError(f"There is no attack {', '.join(sorted(unknown))}.")
    try:
        target.connect().close()
    except OSError as error:
        raise click.UsageError(f"Nothing listens at {url}: {error.strerror}.") from None
    chosen = [ATTACKS[name] for name in names or ATTACKS]
    click.echo("  ".join(f"{heading:>17}" for heading in _HEADINGS))
    failed = 0
    for each in chosen:
        if each.needs and not getattr(target, each.needs):
            click.echo(f"{each.name:>17}  needs --{each.needs}")
            continue
        found = measure(target, each, seconds)
        failed += found.ratio > ratio or found.attacked.failures > found.quiet.failures
        click.echo(
            f"{each.name:>17}  {found.quiet.p95:17.1f}  {found.attacked.p95:17.1f}"
            f"  {found.ratio:17.2f}  {found.attacked.failures:17d}"
        )
    raise SystemExit(bool(failed))


if __name__ == "__main__":
    main()
