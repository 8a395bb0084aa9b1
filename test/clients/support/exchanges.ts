/** A request that a client has sent, and what came back as far as the client took it. */
export interface Exchange {
  readonly method: string;
  /** Path without `/v1` or a query. */
  readonly path: string;
  /** null: none, or no JSON. */
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly status: number;
  readonly headers: Headers;
  text: string;
  /** The client took all of it. */
  whole: boolean;
}

/** A `fetch` for clients that keeps what they exchange with the server. */
export class Exchanges {
  readonly all: Exchange[] = [];

  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, init);
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const exchange: Exchange = {
      method: init?.method?.toUpperCase() ?? 'GET',
      path: pathname.replace(/^(?:\/v1)+/, ''),
      body: typeof init?.body === 'string' ? (JSON.parse(init.body) as Exchange['body']) : null,
      ...{ status: response.status, headers: response.headers, text: '', whole: false },
    };
    this.all.push(exchange);
    const { status, statusText, headers } = response;
    return new Response(response.body?.pipeThrough(kept(exchange)) ?? null, { status, statusText, headers });
  };
}

function kept(exchange: Exchange): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  return new TransformStream({
    transform(chunk, controller) {
      exchange.text += decoder.decode(chunk, { stream: true });
      controller.enqueue(chunk);
    },
    flush() {
      exchange.whole = true;
    },
  });
}
