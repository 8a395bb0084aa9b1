/**
 * To be imported before Portkey's gateway (1.15.2), which adds to the headers of what `fetch` answered: with the versions of
 * `@hono/node-server` that answer with those very headers, which nobody may change, each of its calls would fail. A copy is what
 * versions before made of them.
 */
const { fetch } = globalThis;
globalThis.fetch = async (...asked) => {
  const answer = await fetch(...asked);
  return Object.defineProperty(answer, 'headers', { value: new Headers(answer.headers) });
};
export {};
