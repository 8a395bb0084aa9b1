import { bySize } from './call-parts.js';

it('texts are grouped in order, none left out, each group within the size unless one text is larger', () => {
  expect(bySize(['aa', 'b', 'ccccc', 'd', 'ee', ''], 3)).toEqual([['aa', 'b'], ['ccccc'], ['d', 'ee', '']]);
});
