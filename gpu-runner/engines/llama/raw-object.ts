/** A JSON object as it is written. Numbers of JavaScript would lose digits of long ones. */
export interface RawObject {
  /** Its members, each value as its text. */
  readonly members: ReadonlyMap<string, string>;
  /** Characters of its text. */
  readonly length: number;
}

/** The JSON object with which a text begins; null if it begins with none. */
export function objectAt(text: string): RawObject | null {
  if (!text.startsWith('{')) return null;
  const members = new Map<string, string>();
  let depth = 0;
  let isInString = false;
  let [start, colon] = [1, -1];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]!;
    if (isInString) {
      if (sign === '\\') at += 1;
      else isInString = sign !== '"';
      continue;
    }
    isInString = sign === '"';
    if (depth === 1 && sign === ':' && colon < 0) colon = at;
    if (depth === 1 && (sign === ',' || sign === '}') && colon > 0) {
      const name = parsed(text.slice(start, colon));
      if (typeof name === 'string') members.set(name, text.slice(colon + 1, at).trim());
      [start, colon] = [at + 1, -1];
    }
    if (sign === '{' || sign === '[') depth += 1;
    if (sign === '}' || sign === ']') depth -= 1;
    if (depth === 0) return parsed(text.slice(0, at + 1)) === undefined ? null : { members, length: at + 1 };
  }
  return null;
}

/** The value of a JSON text; undefined if it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
