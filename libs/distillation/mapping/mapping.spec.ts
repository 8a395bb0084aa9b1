import type { JsonObject } from '#domain/json.js';
import { processed } from '#rows/formats/reading.fixture.js';
import type { Dice } from '../tasks/prompts.fixture.js';
import {
  amount,
  answered,
  day,
  fenced,
  invoice,
  order,
  person,
  python,
  several,
  spelled,
  type Answers,
} from './answers.fixture.js';
import type { AnswerMapping, Proposal, TextAnswer } from './mapping.js';
import { peelLabel, foldLabel } from './labels.js';
import { proposeMapping } from './propose.js';
import { toRow } from './to-row.js';
import { writeAnswer } from './write.js';

const SEEDS = [1, 2, 3, 4, 5];

function mappedBy(proposal: Proposal) {
  if (proposal.kind === 'refused') throw new Error(proposal.reason);
  return proposal;
}

/** Share of answers that are written again, byte for byte, from their rows. */
function roundTrip(mapping: AnswerMapping, answers: readonly TextAnswer[]): number {
  const right = answers.filter((each) => {
    const row = toRow(mapping, each);
    if (row === null) return false;
    const { text: _, ...prediction } = row;
    const written = writeAnswer(mapping, prediction, each.at);
    return written.text === each.answer.text && written.tool === each.answer.tool;
  });
  return right.length / answers.length;
}

interface Shape {
  readonly answers: Answers;
  /** Least share of the answers that are written again, byte for byte. */
  readonly least: number;
  /** Keys of the first row: heads, and of these tasks, structures and fields. */
  readonly heads: readonly string[];
  readonly unmapped?: readonly string[];
  readonly tool?: string;
}

const iban = (dice: Dice) => {
  const digits = Array.from({ length: 18 }, () => dice.number(10)).join('');
  return { said: `DE${digits}`.replace(/(.{4})(?=.)/g, '$1 '), value: `DE${digits}` };
};

const SHAPES: Readonly<Record<string, Shape>> = {
  'JSON with dates, amounts and booleans': {
    answers: (dice) => {
      const { text, number, vendor, issued, total, isPaid } = invoice(dice);
      return { text, answer: JSON.stringify({ number, vendor, issued, total, paid: isPaid }) };
    },
    least: 0.99,
    heads: ['labels.paid', 'answer.number', 'answer.vendor', 'answer.issued', 'answer.total'],
  },
  'two decimals, and an enumeration, within a fence and an indent': {
    answers: (dice) => {
      const { text, total, isPaid } = invoice(dice);
      const state = isPaid ? 'settled' : 'open';
      return {
        text,
        answer: `Here it is:\n\`\`\`json\n{\n  "total": ${total.toFixed(2)},\n  "state": "${state}"\n}\n\`\`\``,
      };
    },
    least: 0.99,
    heads: ['labels.state', 'answer.total'],
  },
  'lists of objects, as Python writes them': {
    answers: (dice) => {
      const { text, items, by, to } = order(dice);
      return { text, answer: python({ customer: by, items, ship_to: { city: to, country: null } }) };
    },
    least: 0.96,
    heads: ['answer.customer', 'answer.ship_to.city', 'items.product', 'items.quantity'],
  },
  'arguments of a tool': {
    answers: (dice) => {
      const { text, items, to } = order(dice);
      return {
        text,
        answer: JSON.stringify({ city: to.toLowerCase(), items: items.map(({ product }) => product), source: 'mail' }),
      };
    },
    least: 0.96,
    heads: ['order.city', 'order.items'],
    tool: 'order',
  },
  'a list of records alone': {
    answers: (dice) => {
      const { text, items } = order(dice);
      return { text, answer: JSON.stringify(items, null, 4) };
    },
    least: 0.96,
    heads: ['item of answer.product', 'item of answer.quantity'],
  },
  entities: {
    answers: (dice) => {
      const [who, { said }, value] = [person(dice), day(dice), amount(dice)];
      const found = [
        { text: who, type: 'person' },
        { text: said, type: 'date' },
        { text: value.said, type: 'money' },
      ].filter(() => dice.chance(0.8));
      return { text: `${who} paid ${value.said} on ${said} to us.`, answer: JSON.stringify({ entities: found }) };
    },
    least: 0.99,
    heads: ['entities'],
  },
  'numbers without their blanks, in capitals': {
    answers: (dice) => {
      const [{ said, value }, who] = [iban(dice), person(dice)];
      const text = `My account is ${dice.chance(0.5) ? said : said.toLowerCase()}, in the name of ${dice.chance(0.5) ? who : who.toUpperCase()}.`;
      return { text, answer: JSON.stringify({ iban: value, holder: who }) };
    },
    least: 0.98,
    heads: ['answer.iban', 'answer.holder'],
  },
  'letters beyond ASCII as escapes, and missing keys': {
    answers: (dice) => {
      const { text, to, by } = order(dice);
      const isNamed = dice.chance(0.5);
      const json = python({ city: to, ...(isNamed && { by }) }).replace(
        /[\u0080-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      return { text: isNamed ? text : text.replace(by, 'Hello'), answer: json };
    },
    least: 0.98,
    heads: ['answer.city'],
  },
  'enumerations of records': {
    answers: (dice) => {
      const { text, items } = order(dice);
      const listed = items.map(({ product, quantity }) => ({
        product,
        quantity,
        size: quantity > 5 ? 'bulk' : 'retail',
      }));
      return { text, answer: JSON.stringify({ lines: listed }) };
    },
    least: 0.96,
    heads: ['lines.product', 'lines.quantity', 'lines.size'],
  },
  'several classes': {
    answers: (dice) => ({
      text: `text ${dice.number(1e6)}`,
      answer: JSON.stringify({
        topic: dice.pick(['card', 'loan', 'rate']),
        urgency: 1 + dice.number(3),
        tags: ['vip', 'new', 'eu'].filter(() => dice.chance(0.5)),
      }),
    }),
    least: 1,
    heads: ['labels.topic', 'labels.urgency', 'labels.tags'],
  },
  'totals, summaries and relative dates, which are named': {
    answers: (dice) => {
      const { text, items, to } = order(dice);
      const total = items.reduce((sum, { quantity }) => sum + quantity * 13, 0);
      const due = `2026-06-${10 + dice.number(20)}`;
      return {
        text,
        answer: JSON.stringify({
          city: to,
          total,
          summary: `Someone wants ${total} things, case ${dice.number(1e6)}`,
          due,
        }),
      };
    },
    least: 0,
    heads: ['answer.city'],
    unmapped: ['total', 'summary', 'due'],
  },
};

/** What a row teaches: `labels.paid`, `answer.total`, `entities`. */
function headsIn({ labels = {}, entities, json_structures: structures = [] }: JsonObject): readonly string[] {
  const fields = (structures as readonly JsonObject[]).flatMap((each) =>
    Object.entries(each).flatMap(([name, record]) =>
      Object.keys(record as JsonObject).map((field) => `${name}.${field}`),
    ),
  );
  const tasks = Object.keys(labels as JsonObject).map((task) => `labels.${task}`);
  return [...new Set([...tasks, ...(entities === undefined ? [] : ['entities']), ...fields])];
}

describe('mapping answers', () => {
  it('finds the label in all spellings, and writes the commonest', () => {
    for (const seed of SEEDS) {
      const answers = answered(spelled, 300, seed);
      const { mapping } = mappedBy(proposeMapping(answers));
      for (const each of answers) {
        expect(foldLabel(peelLabel(each.answer.text).core)).toBe(foldLabel(each.label!));
        expect(toRow(mapping, each)).toEqual({ text: each.text, label: each.label });
      }
      expect(writeAnswer(mapping, { label: 'lost_card' }, '')).toEqual({ tool: null, text: 'lost_card' });
    }
  });

  it('writes fences around labels', () => {
    const answers = answered(fenced, 100, 1);
    expect(roundTrip(mappedBy(proposeMapping(answers)).mapping, answers)).toBe(1);
  });

  it('takes lists of labels apart', () => {
    for (const seed of SEEDS) {
      const answers = answered(several, 300, seed);
      const { mapping } = mappedBy(proposeMapping(answers));
      expect(mapping).toMatchObject({ kind: 'labels', separator: ', ' });
      expect(roundTrip(mapping, answers)).toBe(1);
    }
  });

  it.each(Object.keys(SHAPES))('maps %s, and writes it byte for byte', (name) => {
    const { answers: shape, least, heads, unmapped = [], tool = null } = SHAPES[name]!;
    for (const seed of SEEDS) {
      const proposal = mappedBy(proposeMapping(answered(shape, 300, seed, tool)));
      // Others than those that the mapping was made from.
      const answers = answered(shape, 300, seed + 100, tool);
      expect(proposal.unmapped.map(({ path }) => path)).toEqual(unmapped);
      const rows = answers.map((each) => toRow(proposal.mapping, each)).filter((row) => row !== null);
      expect([...new Set(rows.flatMap(headsIn))]).toEqual(expect.arrayContaining([...heads]));
      const share = roundTrip(proposal.mapping, answers);
      expect(share).toBeGreaterThanOrEqual(least);
    }
  });

  it.each(Object.entries(SHAPES))(
    'makes rows of %s that datasets accept',
    async (_, { answers: shape, tool = null }) => {
      const answers = answered(shape, 60, 1, tool);
      const { mapping } = mappedBy(proposeMapping(answers));
      const rows = answers.map((each) => toRow(mapping, each)).filter((row) => row !== null);
      const {
        errors,
        reason,
        rows: read,
      } = await processed(rows.map((row) => JSON.stringify(row)).join('\n'), {
        datasetType: 'ner',
      });
      expect({ errors, reason, rows: read.length }).toEqual({ errors: [], reason: null, rows: rows.length });
    },
  );

  it('survives being stored', () => {
    const answers = answered(SHAPES['lists of objects, as Python writes them']!.answers, 300, 1);
    const { mapping } = mappedBy(proposeMapping(answers));
    expect(roundTrip(JSON.parse(JSON.stringify(mapping)) as AnswerMapping, answers)).toBe(roundTrip(mapping, answers));
  });

  it('refuses free text, and labels that never repeat', () => {
    const summaries = answered(
      (dice) => ({ text: `${dice.number(1e6)}`, answer: `It is about ${person(dice)} and ${dice.number(1e6)} things` }),
      100,
      1,
    );
    expect(proposeMapping(summaries)).toEqual({
      kind: 'refused',
      reason: expect.stringMatching(/^the answers are free text, .*npx anneal engine install torch/),
    });
    expect(proposeMapping(summaries.slice(0, 5))).toMatchObject({
      kind: 'refused',
      reason: 'needs at least 10 answers, has 5',
    });
    const alike = summaries.map((each) => ({ ...each, answer: { tool: null, text: 'Billing' } }));
    expect(proposeMapping(alike)).toEqual({ kind: 'refused', reason: 'all answers are one', isOneSided: true });
  });
});

describe('a mapping by the schema of a request', () => {
  const item = { type: 'object', properties: { sku: { type: 'string' }, state: { $ref: '#/$defs/State' } } };
  const format = {
    type: 'object',
    properties: {
      queue: { type: 'string', enum: ['billing', 'delivery', 'account', 'abuse', 'press'] },
      tone: { anyOf: [{ type: 'string', enum: ['calm', 'angry'] }, { type: 'null' }] },
      note: { type: 'string' },
      topics: { type: 'array', items: { enum: ['price', 'quality', 'speed'] } },
      items: { type: 'array', items: item },
    },
    $defs: { State: { enum: ['new', 'used', 'broken'] } },
  };
  const SKUS = ['lamp', 'chair', 'table', 'kettle', 'router', 'phone', 'tent', 'bike'];
  const answers = answered(
    (dice) => {
      const [sku, at] = [dice.pick(SKUS), dice.number(1e5)];
      const said = `order ${at} of the ${sku} for ${person(dice)}`;
      const queue = at % 20 === 0 ? 'press' : dice.pick(['billing', 'delivery']);
      const answer = {
        queue,
        tone: dice.pick(['calm', null]),
        ...(dice.chance(0.5) && { note: said.slice(0, 9 + `${at}`.length - 3) }),
        topics: dice.chance(0.5) ? ['price'] : ['speed', 'price'],
        items: [{ sku, state: dice.pick(['new', 'used']) }],
      };
      return { text: said, answer: JSON.stringify(answer) };
    },
    40,
    3,
  );
  const heads = ({ mapping }: ReturnType<typeof mappedBy>) => {
    if (mapping.kind !== 'json' || mapping.root.kind !== 'object') throw new Error('no object');
    return Object.fromEntries(mapping.root.fields.map(({ key, node }) => [key, node]));
  };

  it('knows labels that were answered seldom or never, through references and alternatives', () => {
    const { queue, tone, topics, items } = heads(mappedBy(proposeMapping(answers, { tools: [], format })));
    expect(queue).toMatchObject({ kind: 'class', values: { press: '"press"', abuse: '"abuse"' } });
    expect(tone).toMatchObject({ kind: 'class', values: { calm: '"calm"', angry: '"angry"', null: 'null' } });
    expect(topics).toMatchObject({ kind: 'class', isList: true, values: { quality: '"quality"' } });
    expect(items).toMatchObject({
      item: { fields: [{ key: 'sku' }, { key: 'state', node: { kind: 'class', values: { broken: '"broken"' } } }] },
    });
    const without = heads(mappedBy(proposeMapping(answers)));
    expect(JSON.stringify(without)).not.toMatch(/abuse|angry|quality|broken/);
  });

  it('writes answers again by it', () => {
    const { mapping } = mappedBy(proposeMapping(answers, { tools: [], format }));
    expect(roundTrip(mapping, answers)).toBeGreaterThanOrEqual(0.95);
  });

  it('is that of the tool which is called', () => {
    const calls = answers.map((each) => ({ ...each, answer: { ...each.answer, tool: 'route' } }));
    const tools = [
      { name: 'other', description: null, parameters: { properties: { queue: { enum: ['x', 'y'] } } } },
      { name: 'route', description: null, parameters: format },
    ];
    const { queue } = heads(mappedBy(proposeMapping(calls, { tools, format: null })));
    expect(queue).toMatchObject({ values: { abuse: '"abuse"' } });
  });

  it('has the keys in the order of the schema, if the answers keep to it', () => {
    const ordered = (each: object) => ({ text: 'text', at: '2026-05-01T00:00:00Z', answer: { tool: null, text: JSON.stringify(each) } }); // prettier-ignore
    const rows = Array.from({ length: 20 }, (_, at) =>
      ordered(at % 2 === 0 ? { a: at % 4 === 0, d: at % 3 === 0 } : { b: at % 5 === 0, c: at % 7 === 0, d: true }),
    );
    const properties = { d0: {}, a: {}, b: {}, c: {}, d: {} };
    const keysBy = (asked: object) => Object.keys(heads(mappedBy(proposeMapping(rows, { tools: [], format: asked as JsonObject })))); // prettier-ignore
    expect(keysBy({ properties })).toEqual(['a', 'b', 'c', 'd']);
    expect(keysBy({ properties: { d: {}, c: {}, b: {}, a: {} } })).toEqual(Object.keys(heads(mappedBy(proposeMapping(rows))))); // prettier-ignore
  });

  it('is that of the answers where they do not keep to it, and where it leads in circles', () => {
    const strange = { properties: { queue: { enum: ['x', 'y'] }, tone: { $ref: '#/properties/tone' }, topics: 7 } };
    const plain = proposeMapping(answers);
    expect(proposeMapping(answers, { tools: [], format: strange })).toEqual(plain);
    expect(proposeMapping(answers, { tools: [], format: true })).toEqual(plain);
  });
});

describe('keys that most answers leave out', () => {
  const KEYS = ['artist', 'best', 'list', 'owner', 'sort', 'total'];
  const answers = answered(
    (dice) => {
      const [mine, rated, total] = [dice.chance(0.2), dice.chance(0.2), dice.chance(0.1)];
      const [artist, list, sort] = [person(dice), dice.pick(['party', 'study', 'sleep']), dice.pick(['new', 'top'])];
      const isSorted = dice.chance(0.4);
      const all: Readonly<Record<string, string | false>> = {
        artist,
        list,
        ...{ best: rated && '6', owner: mine && 'my', sort: isSorted && sort },
        total: total && `${dice.number(1e6)}`,
      };
      const said = KEYS.flatMap((key) => (all[key] ? [[key, all[key]] as const] : []));
      // Each answer has a part of the keys, in their order.
      const kept = said.filter(([key]) => key === 'total' || key === 'best' || key === 'owner' || dice.chance(0.7));
      const text = `${isSorted ? sort : 'a'} song of ${artist} for ${mine ? 'my' : 'the'} ${list} list${rated ? ', 4 out of 6' : ''}`;
      return { text, answer: JSON.stringify(Object.fromEntries(kept)) };
    },
    400,
    3,
  );
  const { mapping, unmapped } = mappedBy(proposeMapping(answers));

  it('are learned though they have one value, which stands in the texts of those that have it', () => {
    expect(unmapped.map(({ path }) => path)).toEqual(['total']);
  });

  it('are written in an order that all answers keep, and left out where they are not learned', () => {
    const without = answers.filter(({ answer }) => !answer.text.includes('total'));
    expect(roundTrip(mapping, without)).toBe(1);
    const { text } = writeAnswer(mapping, {}, '2026-05-01T00:00:00Z');
    expect(JSON.parse(text)).toEqual({});
  });
});
