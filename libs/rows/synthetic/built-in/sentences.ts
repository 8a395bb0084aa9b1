import { chance, pick } from './draw.js';
import { plain, realise, textOf, tidied, type Piece } from './grammar.js';
import type { Template } from '../templates/template.js';
import { newMemo, SLOTS, type Memo } from './slots.js';

/** The pieces of a template, with its slots filled in agreement with the memo. */
export const sentence = (template: Template, memo: Memo): readonly Piece[] =>
  tidied(realise(template, (slot) => filling(slot, memo)));

/** `{city1}` is the same city everywhere, and has the place `1`. */
function filling(slot: string, memo: Memo): Piece {
  const { name, place } = numberedSlot(slot);
  if (place === undefined) return unsaid(name, memo);
  let known = memo.numbered.get(slot);
  if (!known) memo.numbered.set(slot, (known = { ...unsaid(name, memo), place }));
  return known;
}

/** The slot behind a name such as `city1`, and its number. */
export function numberedSlot(slot: string): { readonly name: string; readonly place?: string } {
  const numbered = /^(\w*[a-z_])(\d)$/.exec(slot);
  return numbered ? { name: numbered[1]!, place: numbered[2]! } : { name: slot };
}

/** A list never repeats an item. A piece that must agree with an earlier one may. */
function unsaid(slot: string, memo: Memo): Piece {
  for (let tries = 0; ; tries += 1) {
    const piece = SLOTS[slot]!(memo);
    if (!memo.said.has(piece.text) || tries === 5) {
      memo.said.add(piece.text);
      return piece;
    }
  }
}

/** Joins two sentences, with a full stop between them unless the first ends in a mark. */
export function joined(first: readonly Piece[], second: readonly Piece[]): readonly Piece[] {
  const mark = /[.!?:…]["')]?$/.test(textOf(first)) ? ' ' : '. ';
  return tidied([...first, plain(mark), ...second]);
}

/**
 * A sentence of one template and, for a share of texts, another of another one after it: two of a kind make no text.
 * @param others templates that the second sentence may be of
 */
export function paired(template: Template, others: readonly Template[], share: number): readonly Piece[] {
  const memo = newMemo();
  const first = sentence(template, memo);
  if (!chance(share)) return first;
  const other = pick(others);
  if (other === template) return first;
  const second = sentence(other, memo);
  return chance(0.5) ? joined(first, second) : joined(second, first);
}
