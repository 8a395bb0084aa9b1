/**
 * Import it before Portkey's gateway (1.15.2), which adds to the headers of a `fetch` response. The installed
 * `@hono/node-server` returns immutable headers, so each call would fail; copying them restores the former behaviour.
 */
const { fetch } = globalThis;
globalThis.fetch = async (...asked) => {
  const answer = await fetch(...asked);
  return Object.defineProperty(answer, 'headers', { value: new Headers(answer.headers) });
};
export {};
