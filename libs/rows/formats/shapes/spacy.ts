import { classesOf, inCodePoints, rowSpans, withoutOverlaps } from './row-spans.js';
import type { ExportShape } from './shape.js';

/**
 * Pairs for `Example.from_dict`: `["text", {"entities": [[start, end, label]], "cats": {label: 0 or 1}}]`.
 * @see https://spacy.io/api/data-formats#dict-input
 */
export const spacy: ExportShape = {
  mediaType: 'application/json; charset=utf-8',
  ending: 'spacy.json',
  heads: ['entities', 'classification'],
  always: null,
  isList: true,
  write(row, { classLabels }, leaveOut) {
    const found = rowSpans(row);
    const classes = classesOf(row);
    if (found === null || (found.spans === null && classes === null)) {
      leaveOut('rows without entities and classes');
      return null;
    }
    const spans = withoutOverlaps(found, leaveOut);
    const places = inCodePoints(found.text, spans);
    const entities = spans.map(({ label }, index) => [...places[index]!, label]);
    const cats = classes && Object.fromEntries(classLabels.map((label) => [label, classes.includes(label) ? 1 : 0]));
    return JSON.stringify([found.text, { ...(found.spans && { entities }), ...(cats && { cats }) }]);
  },
};
