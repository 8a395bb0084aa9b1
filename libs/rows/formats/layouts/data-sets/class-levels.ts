import type { JsonObject } from '#domain/json.js';
import type { Layout } from '../layout.js';
import { isOwn, isText, textColumns } from '../parts/named-columns.js';

const LEVEL = /^((?:l|lvl|level|tier|cat|category|class|label)(?:_?level)?)[ _-]?(\d)$/i;
/** Between the levels of a class. */
const BETWEEN = ' > ';

/** A text with a column for each level of its class, as in taxonomies: `text,level1,level2`. Its class is the whole path. */
export const classLevels: Layout = {
  name: 'class-levels',
  title: 'texts with the levels of a class',
  unit: 'rows',
  offsets: 'code points',
  needs: [
    { what: 'one text under a name such as text or description', holds: (row) => textColumns(row).length === 1 },
    {
      what: 'two or more columns such as level1 and level2, or Cat1 and Cat2',
      holds: (row) =>
        !isOwn(row) &&
        levelsIn([row])
          .slice(0, 1)
          .some((name) => isText(row[name])),
    },
  ],
  columnsIn: levelsIn,
  read(row, context) {
    const [text] = textColumns(row);
    const levels = context.columns.map((name) => row[name]);
    const path = levels.filter(isText);
    if (text === undefined || !isText(row[text])) context.refuse(text ?? 'text', 'is no text');
    else if (levels.slice(path.length).some(isText))
      context.refuse(context.columns[0] ?? '', 'is missing above another level');
    else if (path.length === 0) context.leaveUnlabelled('without a class');
    else {
      const names = context.columns.map((name) => JSON.stringify(name));
      context.tell(`with the class made of ${names.join(' ')}, such as "A${BETWEEN}B"`);
      const others = Object.entries(row).filter(([name]) => name !== text && !context.columns.includes(name));
      return [{ text: row[text], ...context.classes('levels', [path.join(BETWEEN)]), ...Object.fromEntries(others) }];
    }
    return [];
  },
};

/** Columns of one name with numbers from 0 or 1 on, in their order. */
function levelsIn(rows: readonly JsonObject[]): readonly string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const found = names.flatMap((name) => {
    const [, prefix, number] = LEVEL.exec(name) ?? [];
    return prefix === undefined ? [] : [{ name, prefix: prefix.toLowerCase(), number: Number(number) }];
  });
  for (const group of Map.groupBy(found, ({ prefix }) => prefix).values()) {
    const sorted = group.sort((a, b) => a.number - b.number);
    const first = sorted[0]!.number;
    if (sorted.length > 1 && first <= 1 && sorted.every(({ number }, at) => number === first + at))
      return sorted.map(({ name }) => name);
  }
  return [];
}
