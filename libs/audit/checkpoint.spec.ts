import { formatVerifier, NoteError, openCheckpoint, parseVerifier, signCheckpoint, signerOf } from './checkpoint.js';

/** The example of https://pkg.go.dev/golang.org/x/mod/sumdb/note, whose format C2SP signed-note is. */
const PETER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const PETERS_NOTE =
  'If you think cryptography is the answer to your problem,\n' +
  "then you don't know what your problem is.\n\n" +
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';

const signer = signerOf('anneal/log', Buffer.alloc(32, 7));
const checkpoint = { origin: 'anneal/log', size: 3, root: Buffer.alloc(32, 1) };

describe('a signed checkpoint', () => {
  it('opens with the public part of the key that signed it', () => {
    const note = signCheckpoint(checkpoint, signer);
    expect(openCheckpoint(note, [parseVerifier(formatVerifier(signer))])).toEqual(checkpoint);
    const cosigned = note + '— witness.example/w ' + Buffer.alloc(76).toString('base64') + '\n';
    expect(openCheckpoint(cosigned, [signer])).toEqual(checkpoint);
  });

  it('does not open with another key, nor after a change', () => {
    const note = signCheckpoint(checkpoint, signer);
    const another = signerOf('anneal/log', Buffer.alloc(32, 8));
    for (const [text, key] of [
      [note, another],
      [note.replace('\n3\n', '\n4\n'), signer],
      [note.replace('anneal/log\n', 'anneal/lag\n'), signer],
      ['', signer],
      [note.slice(0, -1), signer],
    ] as const)
      expect(() => openCheckpoint(text, [key])).toThrow(NoteError);
  });

  it('is signed and checked as in other programs', () => {
    const peter = parseVerifier(PETER);
    expect(formatVerifier(peter)).toBe(PETER);
    // The signature holds: what is missing is a checkpoint.
    expect(() => openCheckpoint(PETERS_NOTE, [peter])).toThrow(/does not name a tree/);
    expect(() => openCheckpoint(PETERS_NOTE.replace('think', 'thinc'), [peter])).toThrow(/no signature/);
  });

  it('refuses malformed keys', () => {
    for (const text of ['', 'a+b', PETER.replace('c74f20a3', 'c74f20a4'), PETER.slice(0, -4)])
      expect(() => parseVerifier(text)).toThrow(NoteError);
  });
});
