import { classesIn } from '../../components/classes-in.js';
import { RELATIONS } from '../../components/editor/output.js';
import { isRecord } from '../../components/json.js';

interface Short {
  /** Empty: nothing was found. */
  readonly said: string;
  /** 0 to 1, of the first class. */
  readonly confidence?: number | undefined;
}

/** Characters of a text that a cell can show. */
const SHOWN = 120;

/** An answer in few words: its classes, the text that was written, or how much was found. */
export function answerInShort(output: unknown): Short {
  if (typeof output === 'string') return { said: output.slice(0, SHOWN) };
  if (!isRecord(output)) return { said: '' };
  const written = output['completion'] ?? output['content'] ?? output['text'];
  if (typeof written === 'string') return { said: written.slice(0, SHOWN) };
  const classes = classesIn(output);
  if (classes.length > 0)
    return { said: classes.map(({ label }) => label).join(', '), confidence: classes[0]!.confidence };
  const found = Object.entries(output)
    .map(([name, value]) => [name, sizeOf(value)] as const)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => {
      return `${name === RELATIONS ? 'relations' : name}: ${count}`;
    });
  return { said: found.join(', ') };
}

const sizeOf = (value: unknown): number =>
  Array.isArray(value)
    ? value.length
    : isRecord(value)
      ? Object.values(value).reduce<number>((sum, each) => sum + (Array.isArray(each) ? each.length : 1), 0)
      : 0;
