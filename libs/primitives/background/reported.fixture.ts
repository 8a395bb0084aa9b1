import { Background } from './background.js';

/** Work in the background that waits one turn of the event loop instead of its pauses, and the failures that it reports. */
export function reportedBackground() {
  /** `<name>: <message>` of each failure that is logged, `<name> works again` after it. */
  const lines: string[] = [];
  const error = (fields: object) => {
    const { context, err } = fields as { readonly context: string; readonly err: Error };
    lines.push(`${context}: ${err.message}`);
  };
  const info = (_: object, message: string) => void lines.push(message);
  const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));
  return { lines, background: new Background({ error, info }, null, turn) };
}
