/**
 * Rows made for this project with records of which one field is a choice that the text says in other words, and another
 * is often missing. The test rows come from templates that no training row has; of the ways to say a choice, and of the
 * drugs, some are new too.
 */
import { Random } from '#gpu-runner/engines/builtin/random.js';
import type { Row } from './row.js';

const ROUTES = {
  oral: ['by mouth', 'orally', 'PO', 'as a tablet', 'to be swallowed', 'as drops on the tongue'],
  intravenous: ['IV', 'intravenously', 'as a drip', 'into a vein', 'through the cannula', 'as an infusion'],
  topical: ['on the skin', 'as a cream', 'as an ointment', 'rubbed in', 'as a gel', 'spread thinly'],
  inhaled: ['with an inhaler', 'as a spray', 'by nebuliser', 'two puffs', 'breathed in', 'through a mask'],
} as const;
const DRUGS = [
  ...['aspirin', 'ibuprofen', 'ceftriaxone', 'salbutamol', 'hydrocortisone', 'metformin', 'clotrimazole', 'morphine'],
  ...['ondansetron', 'budesonide', 'diclofenac', 'amoxicillin', 'ketoconazole', 'tramadol', 'lidocaine', 'naproxen'],
];
const DOSES = ['200 mg', '1 g', '500 mg', '2 g', '40 mg', '75 mg', '10 mg', '5 mg'];

/** `{drug}`, `{dose}` and `{route}`; `{drug 2}` and so on of a second record. */
const TEMPLATES = [
  'Please give {drug} {dose} {route}.',
  'Start {drug} {route}, then review.',
  '{drug} {dose} {route} every six hours.',
  'She takes {drug} {route} and {drug 2} {dose 2} {route 2}.',
  'Continue {drug} {dose} {route}; stop {drug 2}, which was given {route 2}.',
  'Plan: {drug} {route}\nAlso: {drug 2} {dose 2} {route 2}',
  'The doctor asked for {dose} of {drug} {route} tonight.',
  'No {drug} any more.',
];
const UNSEEN_TEMPLATES = [
  'He was on {drug} {dose}, {route}, for a week.',
  'Switch from {drug} {route} to {drug 2} {route 2}.',
  '1. {drug} {dose} {route}\n2. {drug 2} {route 2}',
  'We could try {drug} {route} if it gets worse.',
  'Give {drug} once.',
];

const TRAINING_ROWS = 300;
const TEST_ROWS = 200;

/** @param known share of the ways to say a route, and of the drugs, that are used */
function rows(templates: readonly string[], count: number, known: number, seed: number): Row[] {
  const random = new Random(seed);
  const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random.next() * Math.round(list.length * known))]!;
  const names = Object.keys(ROUTES) as (keyof typeof ROUTES)[];
  return Array.from({ length: count }, (_, row) => {
    const records: Record<string, string | { value: string; choices: readonly string[] }>[] = [{}, {}];
    const used = new Set<string>();
    const text = templates[row % templates.length]!.replaceAll(/\{(\w+)( 2)?\}/g, (_mark, field: string, second) => {
      const record = records[second === undefined ? 0 : 1]!;
      if (field === 'route') {
        const value = names[Math.floor(random.next() * names.length)]!;
        record[field] = { value, choices: names };
        return oneOf(ROUTES[value]);
      }
      let value: string;
      do value = oneOf(field === 'drug' ? DRUGS : DOSES);
      while (used.has(value));
      used.add(value);
      record[field] = value;
      return value;
    });
    const json_structures = records.flatMap((order) => (Object.keys(order).length > 0 ? [{ order }] : []));
    return { text, json_structures };
  });
}

export const choices = {
  train: () => rows(TEMPLATES, TRAINING_ROWS, 0.67, 1),
  test: () => rows(UNSEEN_TEMPLATES, TEST_ROWS, 1, 2),
};
