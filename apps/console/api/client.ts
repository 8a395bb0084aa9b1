import createClient from 'openapi-fetch';
import { noteAnswer } from './connection.js';
import { notePast } from './past.js';
import type { components, paths } from './schema.js';

/** The types of the API's bodies, by the names of `/openapi.json`. */
export type Schema = components['schemas'];

interface RefusedField {
  readonly path: string;
  readonly reason: string;
}

/** An error answer of the API; `message` is the API's own. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    message: string,
    /** The field of the body that was refused, as `cascade.to`, and why. */
    readonly field: RefusedField | null = null,
  ) {
    super(message);
  }
}

/** Whether the signed-in user's role forbids it. */
export const isForbidden = (error: Error | null): boolean => error instanceof ApiError && error.status === 403;

/** The API of this origin, with the browser's session. Every call throws an ApiError where the API refuses. */
export const api = createClient<paths>({ baseUrl: location.origin });
api.use({
  async onResponse({ response }) {
    noteAnswer(true);
    notePast(response.headers);
    if (!response.ok || (await isProposed(response))) throw await refusal(response);
  },
  onError: ({ error }) => unanswered(error),
});

/** Whether nothing was done but propose it, since it needs two people: the message says so to who asked. */
const isProposed = async (response: Response): Promise<boolean> =>
  response.status === 202 && ((await response.clone().json()) as { status?: unknown }).status === 'proposed';

/** `fetch` of the browser. @throws Error in plain words where no answer comes */
export async function fetchAnswer(address: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(address, init).catch((error: unknown) => {
    throw unanswered(error);
  });
  noteAnswer(true);
  return response;
}

/** An aborted request stays an AbortError. */
function unanswered(error: unknown): Error {
  if (error instanceof DOMException && error.name === 'AbortError') return error;
  noteAnswer(false);
  return new Error(
    'Anneal does not answer: it is stopped, or the network is down. What you wrote stays here; try again.',
  );
}

/** `await body(api.GET(...))`: the body of an answer. That an act was only proposed is an error. */
export async function body<T>(call: Promise<{ data?: T }>): Promise<Exclude<T, Schema['Proposed']>> {
  return (await call).data as Exclude<T, Schema['Proposed']>;
}

/** The error that an answer carries, whichever shape its route gives to errors. */
export async function refusal(response: Response): Promise<ApiError> {
  const answer: unknown = await response.json().catch(() => null);
  return new ApiError(
    response.status,
    messageIn(answer) ?? `${response.status} ${response.statusText}`,
    refusedField(answer),
  );
}

/** The first field of `errors` of the platform's own routes. */
function refusedField(answer: unknown): RefusedField | null {
  const { errors: [first] = [] } = (answer ?? {}) as { errors?: { loc: (string | number)[]; msg: string }[] };
  return first?.loc?.[0] === 'body' ? { path: first.loc.slice(1).join('.'), reason: first.msg } : null;
}

function messageIn(answer: unknown): string | null {
  if (typeof answer === 'string') return answer;
  if (typeof answer !== 'object' || answer === null) return null;
  const { detail, error, message } = answer as { detail?: unknown; error?: unknown; message?: unknown };
  return messageIn(detail) ?? messageIn(error) ?? messageIn(message);
}
