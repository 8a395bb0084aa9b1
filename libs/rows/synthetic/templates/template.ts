/**
 * A text with places to fill. `{name}` is a slot, which what fills it may begin with a capital, `{Name}`, or write in capitals,
 * `{NAME}`. `[one|2: another|]` is one of several texts, which may hold brackets and slots themselves, and begin with a weight (else
 * 1); brackets without a bar are text.
 */
export type Template = readonly Node[];

export type Text = { readonly kind: 'text'; readonly text: string };
export type Slot = {
  readonly kind: 'slot';
  /** The name in lower case. */
  readonly name: string;
  /** The name, unchanged. */
  readonly written: string;
  readonly style: 'plain' | 'capital' | 'upper';
};
export type Option = { readonly weight: number; readonly template: Template };
type Choice = { readonly kind: 'choice'; readonly options: readonly Option[] };
type Node = Text | Slot | Choice;

/** @throws SyntaxError at a bracket or brace that is not closed */
export function parseTemplate(source: string): Template {
  const reader = new Reader(source);
  const template = reader.sequence(false);
  if (!reader.atEnd) throw new SyntaxError(`"]" or "|" outside of brackets in: ${source}`);
  return template;
}

/** The templates of a file's lines; `//` begins a comment. */
export const templateLines = (file: string): string[] =>
  file.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('//'));

/** A list written as one text: `red;green;blue`. */
export const items = (text: string): readonly string[] => text.split(';');

class Reader {
  private at = 0;
  constructor(private readonly source: string) {}

  get atEnd(): boolean {
    return this.at === this.source.length;
  }

  sequence(inside: boolean): Template {
    const nodes: Node[] = [];
    for (let start = this.at; ; start = this.at) {
      const next = this.source.slice(start).search(inside ? /[[\]{|]/ : /[[\]{]/);
      this.at = next < 0 ? this.source.length : start + next;
      if (this.at > start) nodes.push(text(this.source.slice(start, this.at)));
      const mark = this.source[this.at];
      if (mark === '{') nodes.push(this.slot());
      else if (mark === '[') nodes.push(...this.brackets());
      else return nodes;
    }
  }

  private slot(): Slot {
    const [whole = '', name = ''] = /^\{([^{}]+)\}/.exec(this.source.slice(this.at)) ?? [];
    if (name === '') throw new SyntaxError(`not a slot: ${this.source.slice(this.at)}`);
    this.at += whole.length;
    const style = name === name.toUpperCase() ? 'upper' : /^[A-Z]/.test(name) ? 'capital' : 'plain';
    return { kind: 'slot', name: name.toLowerCase(), written: name, style };
  }

  private brackets(): Template {
    const options: Option[] = [];
    do {
      this.at += 1;
      const [mark = '', weight = 1] = /^(\d*\.?\d+):(?: |(?=[|\]]))/.exec(this.source.slice(this.at)) ?? [];
      this.at += mark.length;
      options.push({ weight: Number(weight), template: this.sequence(true) });
    } while (this.source[this.at] === '|');
    if (this.source[this.at] !== ']') throw new SyntaxError(`"[" is not closed in: ${this.source}`);
    this.at += 1;
    return options.length > 1 ? [{ kind: 'choice', options }] : [text('['), ...options[0]!.template, text(']')];
  }
}

const text = (content: string): Text => ({ kind: 'text', text: content });

/** The slots of a template, those of its choices too. */
export const slotsOf = (template: Template): readonly Slot[] =>
  template.flatMap((node) => {
    if (node.kind === 'slot') return [node];
    return node.kind === 'choice' ? node.options.flatMap((option) => slotsOf(option.template)) : [];
  });

/** Number of texts that a template yields, regardless of its slots. */
export const variantsOf = (template: Template): number =>
  template.reduce(
    (product, node) =>
      node.kind === 'choice'
        ? product * node.options.reduce((sum, option) => sum + variantsOf(option.template), 0)
        : product,
    1,
  );

/** The texts and slots of a template, each choice made when it is come to. */
export function* chosen(
  template: Template,
  pick: (options: readonly Option[]) => Option,
): Generator<Text | Slot, void> {
  for (const node of template)
    if (node.kind === 'choice') yield* chosen(pick(node.options).template, pick);
    else yield node;
}
