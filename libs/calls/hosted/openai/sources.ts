import type { Json, JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';
import type { GenerationEvent } from '../port.js';

type Fields = Readonly<Record<string, unknown>>;

interface Source {
  readonly url: string;
  readonly title: string;
}

interface SaidText {
  readonly part: number;
  text: string;
}

/** Numbers of sources in a text, as Perplexity's models write them: `[1]`. */
const MARK = /\[(\d{1,4})\]/g;

/**
 * Sources that stand beside the choices of an answer, numbered from 1 (Perplexity, xAI): `citations`, a list of addresses, and
 * `search_results`, which have titles. They become the `annotations` of the text that names them.
 */
export class AnswerSources {
  private sources: readonly Source[] = [];
  /** The last text of each choice; null: the provider annotates it itself. */
  private readonly texts = new Map<number, SaidText | null>();

  /** Reads a chunk or a whole answer; providers repeat the lists in each chunk. */
  read({ citations, search_results: results }: Fields): void {
    const found = listed(results);
    const cited = listed(citations);
    const titles = new Map(found.map(({ url, title }) => [url, title]));
    const named = cited.map(({ url, title }) => ({ url, title: titles.get(url) ?? title }));
    if (named.length > 0) this.sources = named;
    else if (found.length > 0) this.sources = found;
  }

  hear(event: GenerationEvent): void {
    const { choice = 0 } = event as { readonly choice?: number };
    if (event.type === 'text') {
      const said = this.texts.get(choice);
      if (said?.part === event.part) said.text += event.text;
      else if (said !== null) this.texts.set(choice, { part: event.part, text: event.text });
    } else if (event.type === 'foreign' && event.value['annotations'] !== undefined) this.texts.set(choice, null);
  }

  /** The annotations of the texts, before an answer ends. */
  *events(): Generator<GenerationEvent> {
    if (this.sources.length === 0) return;
    for (const [choice, said] of this.texts)
      if (said !== null) {
        const value: JsonObject = { annotations: this.annotations(said.text) };
        const place = { type: 'foreign', style: 'openai', part: said.part, value, isDelta: true } as const;
        yield choice === 0 ? place : { ...place, choice };
      }
  }

  /** Where the text names a source; one that it does not name is a source of all of it. */
  private annotations(text: string): Json[] {
    const places = text.matchAll(MARK).map((mark) => ({ mark, source: this.sources[Number(mark[1]) - 1] }));
    const named = [...places].flatMap(({ mark, source }) =>
      source === undefined ? [] : [{ ...source, start_index: mark.index, end_index: mark.index + mark[0].length }],
    );
    const others = this.sources.filter(({ url }) => !named.some((each) => each.url === url));
    const whole = others.map((source) => ({ ...source, start_index: 0, end_index: text.length }));
    return [...named, ...whole].map((citation) => ({ type: 'url_citation', url_citation: citation }));
  }
}

/** Addresses, or objects with some. */
function listed(value: unknown): readonly Source[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly unknown[]).flatMap((each) => {
    const { url, title } = isRecord(each) ? each : { url: each, title: undefined };
    return typeof url === 'string' ? [{ url, title: typeof title === 'string' ? title : url }] : [];
  });
}
