import type { Env } from '../decider.js';

/** The id of the version that the command of this environment creates. */
export const newVersionId = (env: Env): string => timeOrderedId(env.now, env.newId('version'));

/**
 * A UUID of version 7 made of a time and the random-looking bits of another UUID, so that ids sort by time and yet follow
 * from the command that made them (RFC 9562, section 5.7).
 * @param now ISO 8601
 */
function timeOrderedId(now: string, derived: string): string {
  const time = Date.parse(now).toString(16).padStart(12, '0');
  const bits = derived.replaceAll('-', '');
  const variant = ((Number.parseInt(bits.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${bits.slice(13, 16)}-${variant}${bits.slice(17, 20)}-${bits.slice(20)}`;
}
