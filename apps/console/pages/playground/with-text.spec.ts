import { withText } from './with-text.js';

describe('the last texts', () => {
  it('have each once, the last one first, without what was asked while it was typed', () => {
    expect(withText(['Hello M', 'To Lyon', 'Hello'], 'Hello Maria')).toEqual(['Hello Maria', 'To Lyon']);
    expect(withText(['To Lyon', 'Hello Maria'], 'Hello Maria')).toEqual(['Hello Maria', 'To Lyon']);
  });

  it('are ten', () => {
    const many = Array.from({ length: 12 }, (_, index) => `text ${index}.`);
    expect(many.reduce<readonly string[]>(withText, [])).toEqual(many.slice(2).toReversed());
  });
});
