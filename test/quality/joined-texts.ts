import { Random } from '#gpu-runner/engines/builtin/random.js';
import type { Example } from '#gpu-runner/engines/engine.js';

/** What may stand between two requests. The first text keeps its stop, if it has one. */
const BETWEEN = ['. ', ' ', '\n', ', ', '; ', ' - ', ' and ', ', also ', '. Also, ', '. Another thing: '];
const STOP = /[.!?]$/u;

/** Texts of which each is two of different classes, one after the other. */
export function joinedTexts(rows: readonly Example[], count: number, seed: number): readonly Example[] {
  const random = new Random(seed);
  const joined: Example[] = [];
  while (joined.length < count) {
    const [first, second] = [rows[random.below(rows.length)]!, rows[random.below(rows.length)]!];
    if (first.labels![0] === second.labels![0]) continue;
    const between = BETWEEN[random.below(BETWEEN.length)]!;
    const mark = STOP.test(first.text) && between.startsWith('.') ? between.slice(1) : between;
    joined.push({
      text: `${first.text.trim()}${mark}${second.text.trim()}`,
      labels: [...first.labels!, ...second.labels!],
    });
  }
  return joined;
}
