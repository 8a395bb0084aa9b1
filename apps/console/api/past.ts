/** The point at which a system of the past ends. */
interface Past {
  readonly position: string;
  /** ISO 8601. */
  readonly time: string;
}

let past: Past | null = null;

/** Every answer of a system of the past has this header. */
export function notePast(headers: Headers): void {
  const [position, time] = [headers.get('x-anneal-as-of'), headers.get('x-anneal-as-of-time')];
  if (position !== null && time !== null) past = { position, time };
}

/** Known after the first answer; null for the present system. */
export const pastOf = (): Past | null => past;
