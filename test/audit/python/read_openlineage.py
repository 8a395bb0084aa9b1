"""Reads the events of FILE into the classes that OpenLineage generates from its JSON Schemas; fails where they do not fit."""

import json
import pathlib
import pkgutil
import sys
from importlib import import_module

import cattrs
from openlineage.client import generated
from openlineage.client.generated.base import DatasetFacet, JobFacet, RunEvent, RunFacet

for module in pkgutil.iter_modules(generated.__path__):
    import_module(f"{generated.__name__}.{module.name}")

converter = cattrs.Converter(forbid_extra_keys=True)
facets = set()


def exact(value, kind):
    """Returns the value as the JSON has it, where cattrs would convert one of another type."""
    assert type(value) is kind, f"{value!r} is no {kind.__name__}"
    return value


def structured(value, kind):
    # The classes set their own schemaURL, and do not take it as an argument.
    return cattrs.gen.make_dict_structure_fn(kind, converter, _cattrs_include_init_false=True)(value, kind)


def facet(value, base):
    """Returns the facet's class, which is the one of its schema's address, version included."""
    [kind] = [each for each in base.__subclasses__() if each._get_schema() == value["_schemaURL"]]
    facets.add(kind.__name__)
    return structured(value, kind)


for kind in (str, int, bool):
    converter.register_structure_hook(kind, exact)
for base in (RunFacet, JobFacet, DatasetFacet):
    converter.register_structure_hook_func(lambda asked, base=base: asked is base, facet)

events = json.loads(pathlib.Path(sys.argv[1]).read_text())
for event in events:
    assert event["schemaURL"] == RunEvent._get_schema(), event["schemaURL"]
    structured(event, RunEvent)
print(json.dumps({"events": len(events), "facets": sorted(facets)}))
