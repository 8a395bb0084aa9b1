import type { GenerationRequest } from '../port.js';
import type { Provider } from '../providers.js';

const VERSION = '2023-06-01';

/** The version and the betas that a caller of this style asks for, beside the operator's own. */
export function headersOf({ headers }: Provider, { verbatim }: GenerationRequest): Readonly<Record<string, string>> {
  const own = verbatim?.style === 'anthropic' ? (verbatim.headers ?? {}) : {};
  const version = own['anthropic-version'] ?? headers['anthropic-version'] ?? VERSION;
  const betas = [headers['anthropic-beta'], own['anthropic-beta']].filter((beta) => beta !== undefined);
  return { 'anthropic-version': version, ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }) };
}
