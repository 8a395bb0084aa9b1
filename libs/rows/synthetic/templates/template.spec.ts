import { chosen, parseTemplate, slotsOf, variantsOf, type Option } from './template.js';

describe('a template', () => {
  const first = (options: readonly Option[]) => options[0]!;
  const last = (options: readonly Option[]) => options.at(-1)!;
  const heaviest = (options: readonly Option[]) => options.toSorted((a, b) => b.weight - a.weight)[0]!;
  /** Slots as their style and name. */
  const written = (source: string, pick = first) =>
    [...chosen(parseTemplate(source), pick)]
      .map((node) => (node.kind === 'text' ? node.text : `<${node.style} ${node.name}>`))
      .join('');

  it('names its slots, including those in choices, in any notation', () => {
    const slots = slotsOf(parseTemplate('{City}, [in {DATE}|near [{n}|]]'));
    expect(slots.map(({ name, written: as }) => [name, as])).toEqual([
      ['city', 'City'],
      ['date', 'DATE'],
      ['n', 'n'],
    ]);
  });

  it('may nest choices', () => {
    const source = 'a [b [c|d]|e] f';
    expect(written(source)).toBe('a b c f');
    expect(written(source, last)).toBe('a e f');
    expect(variantsOf(parseTemplate(source))).toBe(3);
  });

  it('tells how a slot is written', () => {
    expect(written('{a} {Name} {NAME}')).toBe('<plain a> <capital name> <upper name>');
  });

  it('weights the texts of a choice', () => {
    expect(written('[a|2.5: b|.5: c]', heaviest)).toBe('b');
    expect(written('a[3:|: b] 2: c', heaviest)).toBe('a 2: c');
  });

  it('treats brackets without a bar as text', () => {
    expect(written('[Age] : 5')).toBe('[Age] : 5');
  });

  it.each(['[a|b', 'a]', '{a', '{}'])('is refused with an unclosed mark: %s', (source) => {
    expect(() => parseTemplate(source)).toThrow(SyntaxError);
  });
});
