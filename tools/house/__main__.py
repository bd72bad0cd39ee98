"""`python -m tools.house`: prints the size of the product beside the held numbers and goals."""

from tools.house.measures import MEASURES, WALKS
from tools.house.walks import walks


def main() -> None:
    print(f"{'':<45}{'now':>20}{'held':>20}{'goal':>20}")
    for name, (value, held, goal) in MEASURES.items():
        print(f"{name:<45}{value():>20,}{held:>20,}{goal:>20,}")
    print("\nfiles / folders / functions / frames deep of a walk")
    for name, walk in walks().items():
        held, goal = (" / ".join(map(str, counts)) for counts in WALKS[name])
        print(f"{name:<45}{walk!s:>20}{held:>20}{goal:>20}")


if __name__ == "__main__":
    main()
