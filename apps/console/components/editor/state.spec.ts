import { BLANK, type Annotation } from './annotation.js';
import { actionOf, type Press } from './keys.js';
import { marksOf } from './marks.js';
import { begin, reduce, selectionOf, type EditorState } from './state.js';

const TEXT = 'Maria Rossi of Acme flew to New York City.';
const SCHEME = {
  entities: [{ name: 'person' }, { name: 'city' }, { name: 'company' }],
  tasks: [{ name: 'topic', labels: ['travel', 'work'], multiple: false }],
  structures: [
    {
      name: 'trip',
      fields: [
        { name: 'traveller', isList: false },
        { name: 'stops', isList: true },
      ],
    },
  ],
  relations: [{ name: 'works_for' }],
};

/** Keys as they are written: `Shift+ArrowRight`, `2`, `Control+z`. */
function press(state: EditorState, ...keys: readonly string[]): EditorState {
  return keys.reduce((now, written) => {
    const [key = '', ...modifiers] = written.split(/(?<=.)\+/).reverse();
    const has = (name: string): boolean => modifiers.includes(name);
    const event: Press = {
      key,
      shiftKey: has('Shift'),
      ctrlKey: has('Control'),
      metaKey: false,
      altKey: has('Alt'),
    };
    const action = actionOf(event, now, marksOf(now.scheme));
    if (!action) throw new Error(`${written} is no key of the editor`);
    return reduce(now, action);
  }, state);
}

const start = (annotation: Partial<Annotation> = {}): EditorState => begin(TEXT, SCHEME, { ...BLANK, ...annotation });
const right = (count: number): string[] => Array.from({ length: count }, () => 'ArrowRight');
const spansOf = ({ annotation, text }: EditorState): string[] =>
  annotation.spans.map((span) => `${text.slice(span.start, span.end)}=${span.label}`);
const selected = (state: EditorState): string => {
  const { start: from, end } = selectionOf(state)!;
  return TEXT.slice(from, end);
};
const PERSON = { start: 0, end: 11, label: 'person', confidence: 0.8 };
const NEW_YORK = { start: 28, end: 36, label: 'city' };

describe('the span editor', () => {
  describe('by keyboard', () => {
    it("labels the words selected with Shift and arrows, by a label's digit or letter", () => {
      expect(spansOf(press(start(), 'Shift+ArrowRight', '1'))).toEqual(['Maria Rossi=person']);
      expect(spansOf(press(start(), 'Shift+ArrowRight', 'p'))).toEqual(['Maria Rossi=person']);
    });

    it('announces each action', () => {
      expect(press(start(), 'Shift+ArrowRight').said).toBe('“Maria Rossi” is selected');
      expect(press(start(), 'Shift+ArrowRight', '1').said).toBe('“Maria Rossi” is person');
      expect(press(start(), '1', 'Delete').said).toBe('“Maria” is no longer person');
    });

    it('gives each label its own letter, even if labels begin with the same one', () => {
      const keys = marksOf(SCHEME).flatMap((mark) => mark.keys);
      expect(new Set(keys).size).toBe(keys.length);
      const byName = Object.fromEntries(marksOf(SCHEME).map((mark) => [mark.name, mark.keys]));
      expect(byName['city']).toEqual(['2', 'c']);
      expect(byName['company']).toEqual(['3', 'o']);
    });

    it('keeps the cursor within the text', () => {
      expect(selected(press(start(), 'ArrowLeft'))).toBe('Maria');
      expect(selected(press(start(), 'End', 'ArrowRight'))).toBe('.');
      expect(selected(press(start(), 'End', 'Shift+Home'))).toBe(TEXT);
    });

    it("changes the label of the span selected with Enter, and drops the model's confidence", () => {
      const state = press(start({ spans: [PERSON] }), 'Enter', '3');
      expect(state.annotation.spans).toEqual([{ start: 0, end: 11, label: 'company' }]);
    });

    it('moves an end of the selected span with Shift and arrows; Enter again switches ends', () => {
      const chosen = press(start({ spans: [NEW_YORK] }), ...right(6), 'Enter');
      expect(spansOf(press(chosen, 'Shift+ArrowRight'))).toEqual(['New York City=city']);
      expect(spansOf(press(chosen, 'Enter', 'Shift+ArrowRight'))).toEqual(['York=city']);
    });

    it('selects the shortest of nested spans first, then the longer one', () => {
      const nested = start({ spans: [NEW_YORK, { start: 28, end: 41, label: 'company' }] });
      const at = press(nested, ...right(6));
      expect(press(at, 'Enter').said).toContain('“New York”, city');
      expect(press(at, 'Enter', 'Enter').said).toContain('“New York City”, company');
    });

    it('removes the span under the cursor, and the shortest of nested ones', () => {
      const nested = start({ spans: [NEW_YORK, { start: 28, end: 41, label: 'company' }] });
      expect(spansOf(press(nested, ...right(6), 'Delete'))).toEqual(['New York City=company']);
    });

    it('leaves other keys to the browser', () => {
      const free = { shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
      for (const event of [{ key: 'Tab' }, { key: 'Escape' }, { key: 'r', ctrlKey: true }, { key: 'p', metaKey: true }])
        expect(actionOf({ ...free, ...event }, start(), marksOf(SCHEME))).toBeNull();
    });
  });

  describe('overlapping spans', () => {
    it('both stay, in the order of the text, the longer one first', () => {
      const state = press(
        start(),
        ...right(6),
        'Shift+ArrowRight',
        'c',
        'ArrowLeft',
        'Shift+End',
        'Shift+ArrowLeft',
        '3',
      );
      expect(spansOf(state)).toEqual(['New York City=company', 'New York=city']);
    });

    it('may be the same words with several labels, but not twice with one', () => {
      const state = press(start(), '1', 'Escape', '2', 'Escape', '1');
      expect(spansOf(state)).toEqual(['Maria=person', 'Maria=city']);
      expect(state.said).toBe('“Maria” is person already');
    });
  });

  describe('a selection by mouse', () => {
    it('grows to whole words', () => {
      const state = reduce(start(), { type: 'select', stretch: { start: 3, end: 8 } });
      expect(selected(state)).toBe('Maria Rossi');
    });

    it('is the clicked word, and empty between words', () => {
      expect(selected(reduce(start(), { type: 'select', stretch: { start: 17, end: 17 } }))).toBe('Acme');
      const blank = begin('  ', SCHEME, BLANK);
      expect(reduce(blank, { type: 'select', stretch: { start: 0, end: 2 } })).toBe(blank);
    });

    it('excludes the surrounding white space', () => {
      expect(selected(reduce(start(), { type: 'select', stretch: { start: 5, end: 12 } }))).toBe('Rossi');
    });
  });

  describe('undo', () => {
    it('goes back step by step to the beginning, and redo forward again', () => {
      const changed = press(start({ spans: [PERSON] }), 'Delete', '3', 'ArrowRight', '2');
      expect(spansOf(changed)).toEqual(['Maria=company', 'Rossi=city']);
      const back = press(changed, 'Control+z', 'Control+z', 'Control+z');
      expect(back.annotation.spans).toEqual([PERSON]);
      expect(press(back, 'Control+z').said).toBe('There is nothing more');
      expect(spansOf(press(back, 'Control+y', 'Control+Shift+z', 'Control+y'))).toEqual(spansOf(changed));
    });

    it('forgets redo after another change', () => {
      const state = press(start(), '1', 'Control+z', '2');
      expect(state.future).toEqual([]);
      expect(spansOf(state)).toEqual(['Maria=city']);
    });
  });

  describe('other heads', () => {
    it('set one class of a task, which the same key unsets', () => {
      const key = marksOf(SCHEME).find(({ name }) => name === 'travel')!.keys[0]!;
      const state = press(start(), key);
      expect(state.annotation.classes).toEqual({ topic: ['travel'] });
      expect(press(state, key).annotation.classes).toEqual({ topic: [] });
    });

    it('fill the fields of a record: a list grows, another field is replaced', () => {
      const field = (name: string) => marksOf(SCHEME).find((mark) => mark.name === name)!.keys[0]!;
      const state = press(start(), field('traveller'), 'ArrowRight', field('traveller'), ...right(5), field('stops'));
      const [record, ...others] = press(state, 'ArrowRight', field('stops')).annotation.records;
      expect(others).toEqual([]);
      expect(record!.fields['traveller']!.map(({ text }) => text)).toEqual(['Rossi']);
      expect(record!.fields['stops']!.map(({ text }) => text)).toEqual(['New', 'York']);
      expect(press(state, '+', field('traveller')).annotation.records).toHaveLength(2);
    });

    it('undo a new record together with its first value', () => {
      const { keys } = marksOf(SCHEME).find(({ kind }) => kind === 'field')!;
      expect(press(start(), keys[0]!, 'Control+z').annotation.records).toEqual([]);
    });

    it('join a head and a tail, picked one after the other, and Escape cancels', () => {
      const { keys } = marksOf(SCHEME).find(({ kind }) => kind === 'relation')!;
      const picked = press(start(), 'Shift+ArrowRight', keys[0]!);
      expect(press(picked, 'Escape').picked).toBeNull();
      const { annotation, picked: after } = press(picked, ...right(2), keys[0]!);
      expect(annotation.relations).toEqual([
        { type: 'works_for', head: { start: 0, end: 11 }, tail: { start: 15, end: 19 } },
      ]);
      expect(after).toBeNull();
    });
  });
});
