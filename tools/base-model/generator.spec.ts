import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Example } from '#gpu-runner/engines/engine.js';
import { buildGazetteer } from '#gpu-runner/engines/builtin/features/gazetteer.js';
import { tokenize } from '#primitives/text/tokens.js';
import { Coinage } from './coinage.js';
import { ENTITY_TYPE_NAMES } from '#gpu-runner/engines/builtin/labels/entity-types.js';
import { gazetteerLexicons } from './gazetteer-lexicons.js';
import { expandTemplate, readTemplates } from './templates.js';
import { Random } from '#gpu-runner/engines/builtin/random.js';
import { buildSlots } from './slots.js';
import { trainingRows } from './training-rows.js';
import { WordLists } from './word-lists.js';

describe('training sentences', () => {
  let lists: WordLists;
  let rows: Example[];
  beforeAll(() => {
    lists = new WordLists();
    rows = trainingRows(lists, 7, 1, 200, new Coinage(0.2));
  });

  it('are the same for the same seed, and differ for another', () => {
    const make = (seed: number) => trainingRows(lists, seed, 0, 300, new Coinage(0.2));
    const first = make(7);
    expect(make(7)).toEqual(first);
    expect(make(8)).not.toEqual(first);
  });

  it('label only types of the base, and include each of them', () => {
    const seen = new Set(rows.flatMap(({ entities = [] }) => entities.map(({ label }) => label)));
    expect([...seen].sort()).toEqual([...ENTITY_TYPE_NAMES].sort());
  });

  it('have ordered, disjoint spans without outer spaces', () => {
    for (const { text, entities = [] } of rows) {
      let end = 0;
      for (const span of entities) {
        expect(span.start).toBeGreaterThanOrEqual(end);
        expect(text.slice(span.start, span.end).trim()).toHaveLength(span.end - span.start);
        end = span.end;
      }
    }
  });

  it('contain no marks of the template language', () => {
    for (const { text } of rows) expect(text).not.toMatch(/[{}]|\[[^\]]*\|/);
  });

  it('use only existing slots', () => {
    const slots = buildSlots(lists, new Coinage(0));
    const random = new Random(1);
    for (const { template } of readTemplates())
      for (const part of expandTemplate(random, template))
        if (part.kind === 'slot' && !['titled', 'phrase'].includes(part.name))
          expect([...slots.keys()]).toContain(part.name);
  });
});

describe('gazetteer', () => {
  it('has the same classes, whatever is held out', () => {
    const lists = new WordLists();
    const classes = (heldOut: number) => buildGazetteer(gazetteerLexicons(lists, heldOut, 1)).classes;
    expect(classes(0.5)).toEqual(classes(0));
  });

  it('matches titles of everyday words only when capitalised', () => {
    const gazetteer = buildGazetteer(gazetteerLexicons(new WordLists(), 0, 1));
    const classesOf = (text: string) => {
      const found = new Set<string>();
      gazetteer.match(tokenize(text), (k) => found.add(gazetteer.classes[k]!));
      return found;
    };
    expect(classesOf('Speed')).toContain('movie');
    expect(classesOf('speed')).not.toContain('movie');
    expect(classesOf('berlin')).toContain('city');
  });
});
