"""Checks a tree and the events in it with aics-tlog and the standard library: FOLDER VKEY EVENTS [CHECKPOINT ...]."""

import base64
import hashlib
import json
import pathlib
import sys

from aics_tlog import parse_vkey, verify_checkpoint
from aics_tlog.note import parse_note
from aics_tlog.tiles import FileSystemTileReader, consistency_proof_from_tiles, inclusion_proof_from_tiles
from aics_tlog.tree import verify_consistency, verify_leaf_inclusion
from aics_tlog.verified import audit_tiles

folder = pathlib.Path(sys.argv[1])
head = verify_checkpoint(parse_note((folder / "checkpoint").read_bytes()), parse_vkey(sys.argv[2]))
assert head.ok, head
size, root = head.size, head.root
reader = FileSystemTileReader(folder)
report = audit_tiles(reader, size, root)


def part(path, index, width):
    """Returns a bundle's bytes, whether it is full or not."""
    place = folder / path / f"{index:03d}"
    return place.read_bytes() if width == 256 else (place.with_name(place.name + ".p") / str(width)).read_bytes()


events = [json.loads(line) for line in pathlib.Path(sys.argv[3]).read_text().splitlines()]
for index, event in enumerate(events):
    width = min(256, size - index // 256 * 256)
    salt = part("salts", index // 256, width)[16 * (index % 256) :][:16].hex()
    text = "\n".join([salt, event["id"], event["data"], event["metadata"]])
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    entry = "\n".join([event["position"], event["stream"], str(event["revision"]), event["type"], digest])
    proof = inclusion_proof_from_tiles(reader, index, size)
    assert verify_leaf_inclusion(entry.encode(), index, size, proof, root), event
    assert not verify_leaf_inclusion(entry.encode() + b" ", index, size, proof, root)

for name in sys.argv[4:]:
    earlier = verify_checkpoint(parse_note(pathlib.Path(name).read_bytes()), parse_vkey(sys.argv[2]))
    assert earlier.ok, earlier
    proof = consistency_proof_from_tiles(reader, earlier.size, size)
    assert verify_consistency(earlier.size, size, earlier.root, root, proof)

print(json.dumps({"size": size, "events": len(events), "bundles": report.bundles, "earlier": len(sys.argv) - 4}))
