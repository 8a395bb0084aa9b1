import { isRecord } from '../../components/json.js';

export type Endpoint = (typeof ENDPOINTS)[number];
const ENDPOINTS = ['/v1/chat/completions', '/v1/responses', '/v1/completions', '/v1/embeddings'] as const;

/** How much of a file is read to find out what its lines are. */
export const HEAD_BYTES = 1024 * 1024;

/** What a file has on its first line: a request as the API takes it, or a text to ask a model about. */
export type Kind = { readonly endpoint: Endpoint } | { readonly texts: true };

/** @throws Error in words for people */
export function kindOf(head: string): Kind {
  const first = head.split('\n', 1)[0]!.trim();
  if (first === '') throw new Error('The first line is empty. Write one request or one text on each line.');
  const line = parsed(first);
  if (!isRecord(line) || !('url' in line || 'custom_id' in line || 'body' in line)) return { texts: true };
  const endpoint = ENDPOINTS.find((each) => each === line['url']);
  if (endpoint) return { endpoint };
  throw new Error(`\`url\` of the first line must be one of ${ENDPOINTS.join(', ')}.`);
}

/**
 * Requests about texts: one a line, as it stands, as a JSON string, or as `text` of a JSON object.
 * @throws Error that names a line without a text
 */
export function requestsOf(content: string, model: string): string {
  const requests = content.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const text = textIn(line.trim());
    if (text === null) throw new Error(`Line ${index + 1} has no \`text\`.`);
    return JSON.stringify({
      custom_id: `line-${index + 1}`,
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model, messages: [{ role: 'user', content: text }] },
    });
  });
  return `${requests.join('\n')}\n`;
}

function textIn(line: string): string | null {
  const value = parsed(line);
  if (typeof value === 'string') return value;
  if (!isRecord(value)) return line;
  return typeof value['text'] === 'string' && value['text'].trim() !== '' ? value['text'] : null;
}

/** Undefined for what is no JSON. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
