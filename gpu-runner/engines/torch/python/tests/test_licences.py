"""The list of licences of the packages in the lock."""

import re
from importlib.metadata import distributions
from pathlib import Path

PACKAGE = Path(__file__).parents[1]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def listed() -> dict[str, tuple[set[str], str]]:
    """Returns versions and licence of each package of the list, by name."""
    rows = [line.split("|")[1:4] for line in (PACKAGE / "LICENCES.md").read_text("utf-8").splitlines() if line.startswith("| ")]
    return {name.strip(): (set(versions.strip().split(", ")), licence.strip()) for name, versions, licence in rows[2:]}


def test_every_package_of_the_lock_is_listed_with_its_versions_and_a_licence() -> None:
    locked: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;\\]+)", (PACKAGE / "requirements.lock").read_text("utf-8"), re.MULTILINE):
        locked.setdefault(normal(name), set()).add(version)
    assert {name: versions for name, (versions, _) in listed().items()} == locked
    assert all(licence for _, licence in listed().values())


def test_licences_are_those_that_the_installed_packages_name() -> None:
    named = {normal(each.metadata["Name"]): each.metadata.get("License-Expression") for each in distributions()}
    own = {name: licence for name, (_, licence) in listed().items()}
    differing = {
        name: (licence, own[name])
        for name, licence in named.items()
        if name in own and licence not in (None, own[name], f"LicenseRef-{own[name]}-Proprietary")
    }
    assert differing == {} and len(set(named) & set(own)) > 50
