"""Verifies an export of the audit log with nothing of Anneal: `python3 verify-export.py job.jsonl "$PUBLIC_KEY"`.

Needs the package cryptography. docs/operate/audit.md says what an export is.
"""

import base64, hashlib, json, sys
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def root_by(leaf, index, size, proof):
    """RFC 9162, 2.1.3.2: the root that the proof leads to."""
    last = size - 1
    for sibling in proof:
        assert last > 0, "the proof is too long"
        if index % 2 or index == last:
            leaf = sha256(b"\x01", sibling, leaf)
            while index % 2 == 0 and index:
                index, last = index // 2, last // 2
        else:
            leaf = sha256(b"\x01", leaf, sibling)
        index, last = index // 2, last // 2
    assert last == 0, "the proof is too short"
    return leaf


def open_checkpoint(note, public_keys):
    """C2SP signed-note and tlog-checkpoint: the tree's size and root."""
    trusted = {tuple(each.split("+", 2)[:2]): each.split("+", 2)[2] for each in public_keys.split()}
    text, _, signatures = note.rpartition("\n\n")
    text += "\n"
    for line in signatures.splitlines():
        _, signer, signature = line.split(" ")
        signature = base64.b64decode(signature)
        key = trusted.get((signer, signature[:4].hex()))
        if key is not None:
            Ed25519PublicKey.from_public_bytes(base64.b64decode(key)[1:]).verify(signature[4:], text.encode())
            _, size, root = text.splitlines()[:3]
            return int(size), base64.b64decode(root)
    sys.exit("the checkpoint has no signature by a key that was given")


def decrypted(event):
    """What the event has encrypted, under a key of its own: AES-256-GCM, the tag first, with what it is of as associated data."""
    data = json.loads(event["data"])
    sealed = base64.b64decode(data["sealed"]["text"])
    of = f"{event['type']}/{data.get('inferenceId') or data['userId']}"
    key = AESGCM(base64.b64decode(event["content_key"]))
    return key.decrypt(bytes(12), sealed[16:] + sealed[:16], of.encode()).decode()


lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8") if line.strip()]
head, events, end = lines[0], lines[1:-1], lines[-1]["end"]
size, root = open_checkpoint(head["checkpoint"], sys.argv[2])
counts = dict.fromkeys(end, 0)
position, leaf, revision, newer = "", -1, -1 if head["from"] is None else None, False
for event in events:
    place = f"{event['stream']}, revision {event.get('revision', event.get('first_revision'))}"
    if head["stream"] is not None:
        assert event["stream"] == head["stream"], f"{place}: it is of another stream"
        first = event.get("revision", event.get("first_revision"))
        assert revision is None or first == revision + 1, f"{place}: revisions before it are missing"
        revision = event.get("revision", event.get("last_revision"))
    if event.get("withheld") == "another_workspace":
        continue
    assert event["position"] > position, f"{place}: it is out of order"
    position = event["position"]
    counts["events"] += 1
    counts["withheld"] += "withheld" in event
    assert "content" not in event or event["content"] == decrypted(event), f"{place}: its content is another"
    if "unproven" in event:
        assert event["unproven"] == "newer_than_checkpoint", f"{place}: {event['unproven']}"
        newer = True
        counts["unproven"] += 1
        continue
    if "withheld" in event:
        digest = event["digest"]
    else:
        texts = [event["salt"], event["id"], event["data"], event["metadata"]]
        digest = base64.b64encode(sha256("\n".join(texts).encode())).decode()
    entry = [event["position"], event["stream"], str(event["revision"]), event["type"], digest]
    proof = [base64.b64decode(text) for text in event["inclusion_proof"]]
    index = event["leaf_index"]
    assert leaf < index < size and not newer, f"{place}: it is out of order"
    assert not head["whole_log"] or index == leaf + 1, f"{place}: events before it are missing"
    leaf = index
    found = root_by(sha256(b"\x00", "\n".join(entry).encode()), index, size, proof)
    assert found == root, f"{place}: it is not what was signed"
    counts["proven"] += 1
assert not head["whole_log"] or leaf + 1 == size, "events at the end are missing"
assert counts == end, f"the last line counts {end}, not {counts}"
print(json.dumps({"verified": True, "size": size, **counts}))
