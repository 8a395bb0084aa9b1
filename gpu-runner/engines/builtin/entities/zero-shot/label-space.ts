import type { Steps } from '../../../steps.js';
import { wordsOfLabel } from '../../classification/zero-shot/label-names.js';
import { resolveLabel, scopeOf, type LabelScope } from '../../labels/index.js';
import type { TextEncoder } from '../../text-encoder.js';
import { directionFrom, meanOfRows } from './directions.js';

/** A label's types of the base model, and the directions of its name. */
export interface LabelMeaning {
  readonly types: ReadonlySet<string>;
  readonly scope: LabelScope;
  /** Direction of the name, read as a text; a unit vector. */
  readonly text: Float32Array;
  /** Direction of the mean of its words' vectors; a unit vector. */
  readonly words: Float32Array;
}

type NameVectors = Pick<LabelMeaning, 'text' | 'words'>;

/** Labels whose meaning is kept, 3 kB each. */
const MAX_LABELS_KEPT = 5_000;
/** Characters of a name that count. */
const MAX_NAME_CHARACTERS = 256;

/**
 * Meanings of labels by an encoder. Directions are taken from the mean of the names of the base model's types: names of any labels lie
 * close together, and it is in what sets them apart that stretches of texts resemble them.
 */
export class LabelSpace {
  private centre: NameVectors | null = null;
  private usual: readonly NameVectors[] = [];
  private readonly known = new Map<string, LabelMeaning>();

  constructor(
    private readonly encoder: TextEncoder,
    private readonly types: readonly string[],
  ) {}

  /** Names of the types, with which every label is compared. Empty until `read` was called. */
  get background(): readonly NameVectors[] {
    return this.usual;
  }

  /** Meanings of these labels. The first call reads the names of all types too, a tenth of a second. */
  *read(labels: readonly string[]): Steps<readonly LabelMeaning[]> {
    if (this.centre === null) {
      const names: NameVectors[] = [];
      for (const type of this.types) {
        names.push(this.encode(type));
        yield;
      }
      const centre = { text: mean(names.map(({ text }) => text)), words: mean(names.map(({ words }) => words)) };
      this.usual = names.map((name) => directionsFrom(name, centre));
      this.centre = centre;
    }
    const meanings: LabelMeaning[] = [];
    for (const label of labels) {
      meanings.push(this.meaningOf(label, this.centre));
      yield;
    }
    return meanings;
  }

  private meaningOf(label: string, centre: NameVectors): LabelMeaning {
    const known = this.known.get(label);
    if (known) return known;
    const directions = directionsFrom(this.encode(label), centre);
    const meaning = { types: new Set(resolveLabel(label)), scope: scopeOf(label), ...directions };
    if (label.length > MAX_NAME_CHARACTERS) return meaning;
    if (this.known.size >= MAX_LABELS_KEPT) this.known.clear();
    this.known.set(label, meaning);
    return meaning;
  }

  private encode(label: string): NameVectors {
    const words = (wordsOfLabel(label).toLowerCase() || label).slice(0, MAX_NAME_CHARACTERS).split(' ');
    // After an article, the pack reads a name as that of a thing.
    const { text, tokens } = this.encoder.meaning(['a', ...words]);
    return { text, words: meanOfRows(tokens, text.length, 1, words.length + 1) };
  }
}

const directionsFrom = ({ text, words }: NameVectors, centre: NameVectors): NameVectors => ({
  text: directionFrom(text, centre.text),
  words: directionFrom(words, centre.words),
});

const mean = (vectors: readonly Float32Array[]): Float32Array =>
  vectors[0]!.map((_, at) => vectors.reduce((sum, vector) => sum + vector[at]!, 0) / vectors.length);
