import type { JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';
import type { ProducedPart } from './produced.js';

/** A source on the web that a text rests on, as OpenAI's formats have it. */
interface UrlCitation extends JsonObject {
  readonly url: string;
  readonly title: string;
  /** Where the text begins and ends, in UTF-16 code units. */
  readonly start_index: number;
  readonly end_index: number;
}

/**
 * The web citations of a text that a model of style `anthropic` gave. Its citations of documents have no equivalent: they
 * name no address.
 * @param start where the text begins in the caller's text
 */
export function urlCitations(text: string, additions: ProducedPart['additions'] = [], start = 0): UrlCitation[] {
  return additions.flatMap(({ style, value }) => {
    const citation = style === 'anthropic' ? value['citation'] : null;
    const url = pageOf(citation);
    if (url === null) return [];
    const { title } = citation as JsonObject;
    const place = { start_index: start, end_index: start + text.length };
    return [{ url, title: typeof title === 'string' ? title : url, ...place }];
  });
}

/** The address that a citation of style `anthropic` names; the source of a search that the caller made may be one. null: none. */
export function pageOf(citation: unknown): string | null {
  const { url, source } = isRecord(citation) ? citation : {};
  if (typeof url === 'string') return url;
  return typeof source === 'string' && /^https?:/i.test(source) ? source : null;
}

/** The web citations of a text that a model of style `openai` gave, in its own indexes. */
export const ownUrlCitations = (additions: ProducedPart['additions'] = []): JsonObject[] =>
  additions.flatMap(({ style, value }) => {
    const { annotations } = value;
    if (style !== 'openai' || !Array.isArray(annotations)) return [];
    return (annotations as readonly unknown[]).flatMap((each) => {
      const citation = isRecord(each) ? each['url_citation'] : null;
      return isRecord(citation) && typeof citation['url'] === 'string' ? [citation as JsonObject] : [];
    });
  });

/**
 * What a model of style `openai` adds to a text, as the citations of Anthropic's messages. What its own provider would
 * verify is empty, as the signature of other models' thoughts is.
 */
export const pageCitations = (additions: ProducedPart['additions']): JsonObject[] =>
  ownUrlCitations(additions).map(({ url, title, content }) => ({
    ...{ type: 'web_search_result_location', url, title: title ?? null, encrypted_index: '' },
    cited_text: typeof content === 'string' ? content : '',
  }));
