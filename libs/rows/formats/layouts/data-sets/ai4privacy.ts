import type { Json, JsonObject } from '#domain/json.js';
import type { Layout } from '../layout.js';
import { isSpanEntry, spansOf } from '../parts/span-entries.js';

/**
 * Rows of the pii-masking data sets of ai4privacy: `privacy_mask` has the spans with their text; before the release of 300,000
 * rows only `span_labels` has them, as text.
 * @see https://huggingface.co/datasets/ai4privacy/pii-masking-400k
 */
export const ai4privacy: Layout = {
  name: 'ai4privacy',
  title: 'ai4privacy rows',
  unit: 'rows',
  toolKeys:
    /_text$|^(?:privacy_mask|span_labels|mbert_.*|bio_labels|tokens|u?id|language|locale|region|script|split|set)$/,
  offsets: 'code points',
  needs: [
    { what: '"source_text" or "unmasked_text"', holds: (row) => textOf(row) !== null },
    { what: '"privacy_mask" or "span_labels" with spans', holds: (row) => spansIn(row) !== null },
  ],
  read(row, context) {
    const text = textOf(row);
    const entries = spansIn(row);
    if (text === null || entries === null) {
      context.refuse('', 'must have "source_text" and "privacy_mask", as the rows before it');
      return [];
    }
    const spans = spansOf(
      entries.filter((entry) => !isOutside(entry)),
      'privacy_mask',
      context,
    );
    if (spans === null) return [];
    return [{ text, entities: context.entities(text, spans), ...(row.id !== undefined && { id: row.id }) }];
  },
};

const textOf = ({ source_text, unmasked_text }: JsonObject): string | null => {
  const text = source_text ?? unmasked_text;
  return typeof text === 'string' ? text : null;
};

function spansIn({ privacy_mask, span_labels }: JsonObject): readonly Json[] | null {
  for (const value of [privacy_mask, span_labels]) {
    const list = typeof value === 'string' ? parsedList(value) : value;
    if (Array.isArray(list) && (list as readonly Json[]).every(isSpanEntry)) return list as readonly Json[];
  }
  return null;
}

/** A list that was written as text, in JSON or as Python prints it. Labels are numbered there: `FIRSTNAME_1`. */
function parsedList(text: string): readonly Json[] | null {
  for (const json of [text, text.replaceAll("'", '"')])
    try {
      const list: unknown = JSON.parse(json);
      if (Array.isArray(list)) return (list as readonly Json[]).map(withoutNumber);
    } catch {
      // The next spelling.
    }
  return null;
}

const withoutNumber = (entry: Json): Json => {
  const [start, end, label] = (Array.isArray(entry) ? entry : []) as readonly Json[];
  return typeof label === 'string' ? [start!, end!, label.replace(/_\d+$/, '')] : entry;
};

const isOutside = (entry: Json): boolean => Array.isArray(entry) && entry[2] === 'O';
