import type { HeadKind, WantedHead } from '#domain/distillation/index.js';
import { headsIn } from '../survey/heads.js';
import { answered, invoice, order, type Answers } from './answers.fixture.js';
import type { Proposal } from './mapping.js';
import { proposeMapping } from './propose.js';
import { toRow } from './to-row.js';
import { writeAnswer } from './write.js';

const CITIES = ['Bonn', 'Rome', 'Oslo'];
/** A city that stands in most texts, a code that stands in none, and a sum. */
const invoices: Answers = (dice) => {
  const { text, number, total, isPaid } = invoice(dice);
  const city = dice.pick(CITIES);
  const said = dice.chance(0.85) ? ` From ${city}.` : '';
  const answer = { number, paid: isPaid, city, source: 'mail', tax: Math.round(total * 19) / 100 };
  return { text: `${text}${said}`, answer: JSON.stringify(answer) };
};
const calls = answered(invoices, 300, 1);
const proposed = (...heads: readonly (readonly [string, HeadKind])[]): Proposal =>
  proposeMapping(
    calls,
    undefined,
    heads.map(([path, kind]): WantedHead => ({ path, kind })),
  );

/** The first answer as it is written again. */
function written(proposal: Proposal): object | string {
  if (proposal.kind === 'refused') return proposal.reason;
  const call = calls.find((each) => toRow(proposal.mapping, each) !== null)!;
  const { text: _, ...prediction } = toRow(proposal.mapping, call)!;
  const { text } = writeAnswer(proposal.mapping, prediction, call.at);
  return [JSON.parse(call.answer.text), JSON.parse(text)];
}

describe('a mapping as a person wants it', () => {
  it('shows what each place can become', () => {
    const proposal = proposed();
    if (proposal.kind === 'refused') throw new Error(proposal.reason);
    expect(headsIn(proposal)).toEqual([
      { path: 'number', kind: 'span', labels: null, choices: ['span', 'null', 'omitted'] },
      { path: 'paid', kind: 'class', labels: expect.any(Array), choices: ['class', 'null', 'omitted'] },
      { path: 'city', kind: 'span', labels: null, choices: ['span', 'class', 'null', 'omitted'] },
      { path: 'source', kind: 'constant', labels: null, choices: ['constant', 'null', 'omitted'] },
      { path: 'tax', kind: 'null', labels: null, choices: ['null', 'omitted'] },
    ]);
    expect([proposal.unmapped, proposal.ask]).toMatchObject([[{ path: 'tax' }], [{ path: 'city' }]]);
  });

  it('learns a place as it is wanted, writes it as null, or leaves its key out', () => {
    const proposal = proposed(['city', 'class'], ['number', 'null'], ['source', 'omitted'], ['tax', 'omitted']);
    const [said, again] = written(proposal) as { paid: boolean; city: string }[];
    expect(again).toEqual({ number: null, paid: said!.paid, city: said!.city });
    // Nobody is to be asked, and nothing is missing.
    expect(proposal).toMatchObject({ unmapped: [], ask: [] });
    if (proposal.kind === 'refused') throw new Error(proposal.reason);
    // Each call teaches it now, also where the city does not stand in the text.
    expect(calls.every((call) => toRow(proposal.mapping, call) !== null)).toBe(true);
    expect(headsIn(proposal).map(({ path, kind }) => [path, kind])).toEqual([
      ['number', 'null'],
      ['paid', 'class'],
      ['city', 'class'],
    ]);
  });

  it('takes back what is proposed', () => {
    const proposal = proposed();
    if (proposal.kind === 'refused') throw new Error(proposal.reason);
    const heads = headsIn(proposal).map(({ path, kind }): WantedHead => ({ path, kind }));
    const again = proposeMapping(calls, undefined, heads);
    expect(again.kind === 'mapped' ? headsIn(again) : again.reason).toEqual(headsIn(proposal));
  });

  it.each([
    [['town', 'span'], 'heads: the answers have no "town", they have number, paid, city, source, tax'],
    [['tax', 'class'], 'heads: tax cannot be class, only null, omitted'],
    [['source', 'span'], 'heads: source cannot be span, only constant, null, omitted'],
    [['number', 'records'], 'heads: number cannot be records, only span, null, omitted'],
  ] as const)('names the place of %j that is not there, or cannot be so', (head, reason) => {
    expect(proposed(head)).toEqual({ kind: 'refused', reason });
  });

  it('is refused where nothing is left to be learned', () => {
    const all = proposed(['number', 'null'], ['paid', 'null'], ['city', 'omitted'], ['tax', 'null']);
    expect(all).toEqual({ kind: 'refused', reason: 'nothing of the answers is learned' });
  });

  it('has lists of records as wholes, and the fields in them', () => {
    const orders = answered(
      (dice) => {
        const { text, items, by, to } = order(dice);
        return { text, answer: JSON.stringify({ items, by, to }) };
      },
      300,
      1,
    );
    const proposal = proposeMapping(orders);
    if (proposal.kind === 'refused') throw new Error(proposal.reason);
    const heads = headsIn(proposal);
    const list = heads.find(({ kind }) => kind === 'records')!;
    expect(list.choices).toEqual(['records', 'null', 'omitted']);
    const field = heads.find(({ path }) => path.startsWith(`${list.path}.`))!;
    const left = proposeMapping(orders, undefined, [{ path: field.path, kind: 'omitted' }]);
    if (left.kind === 'refused') throw new Error(left.reason);
    expect(headsIn(left)).toEqual(heads.filter(({ path }) => path !== field.path));
    const others = heads.filter(({ path }) => !path.startsWith(list.path));
    const without = proposeMapping(orders, undefined, [{ path: list.path, kind: 'null' }]);
    expect(without.kind === 'mapped' ? headsIn(without).filter(({ kind }) => kind !== 'null') : without.reason).toEqual(
      others.length > 0 ? others : 'nothing of the answers is learned',
    );
  });

  it('has one choice for a label word', () => {
    const labels = answered((dice) => ({ text: String(dice.number(1e9)), answer: dice.pick(['yes', 'no']) }), 60, 1);
    expect(proposeMapping(labels, undefined, [{ path: 'label', kind: 'class' }]).kind).toBe('mapped');
    expect(proposeMapping(labels, undefined, [{ path: 'label', kind: 'omitted' }])).toEqual({
      ...{ kind: 'refused', reason: 'heads: label cannot be omitted, only class' },
    });
  });
});
