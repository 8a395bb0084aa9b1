import { proposeMapping } from '../mapping/propose.js';
import { areOneAnswer } from './rows.js';

const items = (...quantities: readonly string[]) => ({
  json_structures: quantities.map((quantity, at) => ({
    items: { product: `${at === 0 ? 'lamp' : 'vase'}s`, quantity },
  })),
});

const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];

it('rows are one answer if they are written alike, wherever their values stand', () => {
  const products = ['lamp', 'vase', 'table', 'chair', 'mat', 'cup', 'bowl', 'tray', 'clock', 'knife', 'bag', 'shirt'];
  const answers = Array.from({ length: 60 }, (_, at) => {
    const [product, quantity] = [products[at % 12]!, 2 + (at % 7)];
    const other = products[(at + 5) % 12]!;
    const list = [
      { product, quantity },
      { product: other, quantity: quantity + 1 },
    ];
    return {
      text: `Please send ${at % 2 === 0 ? quantity : WORDS[quantity]!} ${product}s and ${quantity + 1} ${other}s`,
      answer: { tool: null, text: JSON.stringify({ items: list }) },
      at: '2026-05-01T00:00:00Z',
    };
  });
  const proposal = proposeMapping(answers);
  if (proposal.kind !== 'mapped') throw new Error(proposal.reason);
  const { mapping } = proposal;
  expect(areOneAnswer(mapping, items('8', '8'), items('eight', '8'))).toBe(true);
  expect(areOneAnswer(mapping, items('8', '8'), items('seven', '8'))).toBe(false);
  expect(areOneAnswer(mapping, items('8', '8'), items('8'))).toBe(false);
});
