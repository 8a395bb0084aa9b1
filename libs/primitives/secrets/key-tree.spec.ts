import fc from 'fast-check';
import { KeyTree, LEAVES } from './key-tree.js';

const index = fc.nat(LEAVES - 1);
const hex = (key: Uint8Array | null) => key && Buffer.from(key).toString('hex');

describe('a tree of keys', () => {
  it('has the same key for the same leaf, in any order of access, and after it was stored', () => {
    fc.assert(
      fc.property(fc.array(index, { minLength: 1, maxLength: 40 }), (asked) => {
        const tree = KeyTree.create();
        const keys = asked.map((each) => hex(tree.leaf(each)));
        const stored = KeyTree.decode(tree.encode());
        expect(asked.toReversed().map((each) => hex(stored.leaf(each)))).toEqual(keys.toReversed());
        expect(new Set(keys).size).toBe(new Set(asked).size);
        expect(keys.every((key) => key?.length === 64)).toBe(true);
      }),
    );
  });

  it('loses the destroyed keys and no others', () => {
    fc.assert(
      fc.property(fc.uniqueArray(index, { maxLength: 20 }), fc.array(index, { maxLength: 40 }), (gone, others) => {
        const tree = KeyTree.create();
        const left = KeyTree.decode(tree.without(gone).encode());
        for (const each of gone) expect(left.leaf(each)).toBeNull();
        for (const each of others) if (!gone.includes(each)) expect(hex(left.leaf(each))).toBe(hex(tree.leaf(each)));
      }),
    );
  });

  it('stores nothing from which a destroyed key can be derived, and is empty without any', () => {
    const tree = KeyTree.create();
    const secret = hex(tree.leaf(5))!;
    const root = tree.encode().subarray(3).toString('hex');
    const left = tree.without([5]).encode().toString('hex');
    expect(left).not.toContain(root);
    expect(left).not.toContain(secret);
    expect(tree.without(Array.from({ length: LEAVES }, (_, each) => each)).isEmpty).toBe(true);
  });

  it('refuses invalid bytes', () => {
    expect(() => KeyTree.decode(new Uint8Array(5))).toThrow(RangeError);
  });
});
