import { chosen, parseTemplate, slotsOf, variantsOf, type Template } from './template.js';

describe('a template', () => {
  const first = (options: readonly Template[]) => options[0]!;
  const last = (options: readonly Template[]) => options.at(-1)!;
  const written = (source: string, pick: typeof first) =>
    [...chosen(parseTemplate(source), pick)].map((node) => (node.kind === 'text' ? node.text : node)).filter(Boolean);

  it('names its slots, those of its choices too, whatever their style', () => {
    expect(slotsOf(parseTemplate('{City}, [in {DATE}|near [{n}|]]'))).toEqual(['city', 'date', 'n']);
  });

  it('makes choices within choices', () => {
    const source = 'a [b [c|d]|e] f';
    expect(written(source, first).join('')).toBe('a b c f');
    expect(written(source, last).join('')).toBe('a e f');
    expect(variantsOf(parseTemplate(source))).toBe(3);
  });

  it('says how a slot is to be written', () => {
    expect(written('{a} {Name} {NAME}', first)).toEqual([
      { kind: 'slot', name: 'a', style: 'plain' },
      ' ',
      { kind: 'slot', name: 'name', style: 'capital' },
      ' ',
      { kind: 'slot', name: 'name', style: 'upper' },
    ]);
  });

  it('takes brackets without a bar as text', () => {
    expect(written('[Age] : 5', first).join('')).toBe('[Age] : 5');
  });

  it.each(['[a|b', 'a]', '{a', '{a b}'])('is refused with a mark that is not closed: %s', (source) => {
    expect(() => parseTemplate(source)).toThrow(SyntaxError);
  });
});
