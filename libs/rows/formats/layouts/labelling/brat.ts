import type { Json } from '#domain/json.js';
import type { GivenSpan, Layout, RowContext } from '../layout.js';
import { relationsOf, textsOf, type GivenRelation } from '../parts/relations.js';

/**
 * Documents of BRAT: a text, and its standoff annotations under `ann`, as a zip archive of `.txt` and `.ann` files has them.
 * @see https://brat.nlplab.org/standoff.html
 */
export const brat: Layout = {
  name: 'brat',
  title: 'BRAT standoff',
  unit: 'documents',
  toolKeys: /^/,
  offsets: 'code points',
  needs: [
    { what: 'a .txt file ("text")', holds: ({ text }) => typeof text === 'string' },
    { what: 'an .ann file beside it ("ann")', holds: ({ ann }) => typeof ann === 'string' },
  ],
  read({ text, ann, id }, context) {
    if (typeof text !== 'string') {
      context.refuse(
        'text',
        `is missing: ${typeof id === 'string' ? `${id}.ann` : 'the .ann file'} has no .txt file beside it`,
      );
      return [];
    }
    if (typeof ann !== 'string') {
      context.leaveUnlabelled('without annotations');
      return [];
    }
    const { spans, ids, relations } = annotationsOf(ann, context);
    const found = context.placed(text, spans);
    const entities = found.filter((entity) => entity !== null);
    const placed = relationsOf(relations, textsOf(spans, found, ids), context);
    return [{ text, entities, ...(placed.length > 0 && { relations: placed }), ...(id !== undefined && { id }) }];
  },
};

function annotationsOf(ann: string, context: RowContext) {
  const spans: GivenSpan[] = [];
  const ids = new Map<Json, GivenSpan>();
  const relations: GivenRelation[] = [];
  for (const line of ann.split(/\r?\n/)) {
    const [id = '', what = '', quoted] = line.split('\t');
    if (id.startsWith('T')) {
      const [, label, start, end] = /^(\S+) (\d+) (\d+)$/.exec(what) ?? [];
      if (label === undefined) {
        if (/^\S+ \d+ \d+(?:;\d+ \d+)+$/.test(what)) context.tell('spans in several pieces left out');
        else context.refuse(id.slice(0, 20), 'must be "Type start end" between tabs');
        continue;
      }
      const span = { start: Number(start), end: Number(end), label, at: id.slice(0, 20) };
      spans.push(quoted === undefined ? span : { ...span, text: quoted });
      ids.set(id, spans.at(-1)!);
    } else if (id.startsWith('R')) {
      const [, name, from, to] = /^(\S+) Arg1:(\S+) Arg2:(\S+)\s*$/.exec(what) ?? [];
      relations.push({ from, to, name });
    } else if (id.trim() !== '') context.tell('events, attributes and notes left out');
  }
  return { spans, ids, relations };
}
