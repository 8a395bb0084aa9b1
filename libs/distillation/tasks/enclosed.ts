/** Stands for a hole among the chunks of a part. */
const HOLE = '\u0000';
const TAG = /<(\/?)([\p{L}_][\p{L}\p{N}_:.-]*)(?:\s[^<>]*)?>/gu;
const FENCES = [/```[^\n`\u0000]*\n|```/g, /"""/g, /'''/g];

/** A stretch of a part that a pair of tags or fences encloses. */
interface Enclosure {
  readonly start: number;
  readonly end: number;
}

/**
 * The chunks of a part in which the text is all that the tags or fences around it enclose: constant words in there are those of the texts,
 * as mails of one form have them, and not of the prompt.
 * @param hole the hole that was taken for the text
 * @returns null if they enclose nothing else
 */
export function withEnclosed(chunks: readonly string[], hole: number): readonly string[] | null {
  const whole = chunks.join(HOLE);
  const at = chunks.slice(0, hole + 1).reduce((length, chunk) => length + chunk.length + HOLE.length, 0) - HOLE.length;
  const around = [...tagged(whole), ...FENCES.flatMap((fence) => fenced(whole, fence))].filter(
    ({ start, end }) => start <= at && at < end,
  );
  if (around.length === 0) return null;
  const inner = around.reduce((one, other) => (other.end - other.start < one.end - one.start ? other : one));
  if (!whole.slice(inner.start, inner.end).replace(HOLE, '').includes(HOLE)) return null;
  // Blanks beside the marks are the prompt's.
  const within = whole.slice(inner.start, inner.end);
  const [start, end] = [inner.end - within.trimStart().length, inner.start + within.trimEnd().length];
  return [...whole.slice(0, start).split(HOLE), ...whole.slice(end).split(HOLE)];
}

/** What each pair of tags encloses. */
function tagged(whole: string): readonly Enclosure[] {
  const open: { readonly name: string; readonly start: number }[] = [];
  const found: Enclosure[] = [];
  for (const { 0: tag, 1: slash, 2: name = '', index } of whole.matchAll(TAG)) {
    if (slash === '') {
      open.push({ name, start: index + tag.length });
      continue;
    }
    const opened = open.findLastIndex((each) => each.name === name);
    if (opened < 0) continue;
    found.push({ start: open[opened]!.start, end: index });
    open.length = opened;
  }
  return found;
}

function fenced(whole: string, fence: RegExp): readonly Enclosure[] {
  const marks = [...whole.matchAll(fence)];
  return marks.flatMap(({ 0: mark, index }, at) => {
    const close = at % 2 === 0 ? marks[at + 1] : undefined;
    return close ? [{ start: index + mark.length, end: close.index }] : [];
  });
}
