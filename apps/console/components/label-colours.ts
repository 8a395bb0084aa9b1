import { keepInTab } from './use-stored.js';

/** Colours of a label: behind its words, of its edge and its dot, and of its name. */
export interface LabelColours {
  readonly tint: string;
  readonly solid: string;
  readonly ink: string;
  /** The edge of the labels from the 13th on, which have the colours of the first again. */
  readonly isDashed: boolean;
}

const COLOURS = 12;
const STORED_AS = 'anneal-labels';

/** Labels in the order in which this tab met them: those of one set are met together, and so differ. */
let met: Map<string, number> | null = null;

function placeOf(label: string): number {
  met ??= new Map((JSON.parse(sessionStorage.getItem(STORED_AS) ?? '[]') as string[]).map((name, at) => [name, at]));
  const known = met.get(label);
  if (known !== undefined) return known;
  met.set(label, met.size);
  keepInTab(STORED_AS, [...met.keys()]);
  return met.size - 1;
}

/** The colours of a label, by its place among all: no two of one set are alike up to the 24th. */
export const coloursOf = (label: string): LabelColours => coloursAt(placeOf(label));

/** @param place from 0 */
export function coloursAt(place: number): LabelColours {
  const name = `l${(place % COLOURS) + 1}`;
  return {
    tint: `var(--${name}-tint)`,
    solid: `var(--${name}-solid)`,
    ink: `var(--${name}-ink)`,
    isDashed: Math.floor(place / COLOURS) % 2 === 1,
  };
}
