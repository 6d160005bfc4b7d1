"""demo."""
import rich_click as click
@click.command()
def demo() -> None:
    """Demo."""
