import type { Json, JsonObject } from '#domain/json.js';
import type { Layout } from '../layout.js';
import { hasSpans, isOwn, isText, textColumns } from '../parts/named-columns.js';

const MAX_NAMED = 8;

/** A text with a column for each class, which holds 1 if the text has it and else 0: `comment_text,toxic,obscene`. */
export const classColumnsLayout: Layout = {
  name: 'class-columns',
  title: 'texts with a column for each class',
  unit: 'rows',
  offsets: 'code points',
  needs: [
    { what: 'one text under a name such as text or comment_text', holds: (row) => textColumns(row).length === 1 },
    {
      what: 'two or more columns that hold 0 or 1',
      holds: (row) =>
        !isOwn(row) && !hasSpans(row) && Object.keys(row).filter((name) => isFlagIn(row, name)).length > 1,
    },
  ],
  columnsIn: (rows) =>
    Object.keys(rows[0] ?? {}).filter((name) => rows.every((row) => isFlagIn(row, name)) && !ID.test(name)),
  read(row, context) {
    const [text] = textColumns(row);
    const content = text === undefined ? undefined : row[text];
    const flags = context.columns;
    const wrong = flags.find((name) => !isFlagIn(row, name));
    if (flags.length < 2)
      context.refuse('', 'is of a file without two columns that hold 0 or 1 in each of its first rows');
    else if (!isText(content)) context.refuse(text ?? 'text', 'is no text');
    else if (wrong !== undefined) context.refuse(wrong, 'must be 0 or 1, as in the first rows');
    else {
      const named = flags.slice(0, MAX_NAMED).map((name) => JSON.stringify(name));
      context.tell(`with classes in ${named.join(' ')}${flags.length > named.length ? ' and more' : ''}`);
      const others = Object.entries(row).filter(([name]) => name !== text && !flags.includes(name));
      return [{ text: content, labels: flags.filter((name) => isSet(row[name])), ...Object.fromEntries(others) }];
    }
    return [];
  },
};

/** Columns that count or identify rows. */
const ID = /^(?:|id|idx|index|row|unnamed.*|.*[_ ]id)$/i;

const isSet = (value: Json | undefined): boolean => ['1', 'true'].includes(flagOf(value));

const isFlagIn = (row: JsonObject, name: string): boolean => ['0', '1', 'true', 'false'].includes(flagOf(row[name]));

const flagOf = (value: Json | undefined): string =>
  typeof value === 'object' || value === undefined ? '' : String(value).toLowerCase();
