import type { JsonObject } from '#domain/json.js';
import { Dropped } from '#calls/hosted/dropped.js';
import { requestFor } from '#calls/hosted/openai/request.js';
import { HostedModelError, type ContentPart, type GenerationRequest, type MessageRole } from '#calls/hosted/port.js';
import { checkProviders } from '#calls/hosted/providers.js';

const providerWith = (settings: object = {}) =>
  checkProviders(
    { providers: { acme: { style: 'openai', base_url: 'https://acme.example/v1', ...settings } } },
    {},
  ).get('acme')!;
/** The request that a provider of the `openai` style receives. @param settings additional fields of the provider */
export const posted = (
  request: GenerationRequest,
  settings: object = {},
  stream = false,
  dropped = new Dropped(false),
) => {
  const { path, body } = requestFor(providerWith(settings), 'big-1', request, { stream, dropped });
  return { path, body: JSON.parse(body as string) as JsonObject };
};
export const bodyOf = (request: Partial<GenerationRequest>, settings: object = {}) =>
  posted({ messages: [], ...request }, settings).body;
export const messagesOf = (role: MessageRole, content: readonly ContentPart[], settings: object = {}) =>
  bodyOf({ messages: [{ role, content }] }, settings)['messages'];
/** The message with which a request is refused; fails if it is not. */
export const refusal = (request: Partial<GenerationRequest>, settings: object = {}): string => {
  try {
    bodyOf(request, settings);
  } catch (error) {
    expect(error).toBeInstanceOf(HostedModelError);
    expect(error).toMatchObject({ kind: 'rejected', details: { upstreamStatus: 422 } });
    return (error as HostedModelError).message;
  }
  throw new Error('it was sent');
};
export const text = (said: string): ContentPart => ({ type: 'text', text: said });
