import { CodePoints } from '#domain/code-points.js';
import { UnreadableFileError } from '../limits.js';
import { areAlike } from '../rows/alike.js';
import { edgesOf } from '../rows/edges.js';
import { quote } from '../rows/spans.js';
import type { Counting, GivenSpan, OffsetUnit } from './layout.js';
import { inCodePoints, isWithoutBlanks, stretchOf } from './offsets.js';

/** A text with its spans, as one counting of their offsets reads them. */
export interface SpannedText {
  /** From 1. */
  readonly row: number;
  readonly text: string;
  readonly spans: readonly GivenSpan[];
}

/** Of the spans that two countings read differently, this share must be right by the other one. */
const MIN_RIGHT = 0.9;

/**
 * How a file counts its offsets: as usual, unless most spans that another counting reads differently then begin or end inside a
 * word or at a blank, lie outside the text or are not their own text, and do not so by the other one.
 * @param usual the first texts
 * @param inclusive the same, with ends that are the last character
 * @throws UnreadableFileError when both others are right
 */
export function countingOf(usual: readonly SpannedText[], inclusive: readonly SpannedText[]): Counting {
  const bytes = usual.map(({ row, text, spans }) => ({ row, text, spans: inCodePoints(text, spans) }));
  const isShifted = (one: GivenSpan, other: GivenSpan) => one.start !== other.start || one.end !== other.end;
  const shifted = (texts: readonly SpannedText[]) =>
    texts.map((each, at) => ({
      ...each,
      spans: each.spans.filter((_, index) => isShifted(usual[at]!.spans[index]!, bytes[at]!.spans[index]!)),
    }));
  const isBytes = isRight(shifted(bytes), shifted(usual));
  const isInclusive = isRight(inclusive, usual);
  if (isBytes && isInclusive) throw undecided(bytes, inclusive);
  return isBytes ? 'bytes' : isInclusive ? 'inclusive' : 'usual';
}

function isRight(others: readonly SpannedText[], usual: readonly SpannedText[]): boolean {
  const [wrongOf, counts] = [usual, others].map((texts) => texts.flatMap(wrongs)) as [boolean[], boolean[]];
  const wrong = (list: readonly boolean[]) => list.filter(Boolean).length;
  return 2 * wrong(wrongOf) > wrongOf.length && wrong(counts) <= (1 - MIN_RIGHT) * counts.length;
}

/** Whether each span is wrong, by the unit that is wrong least. Spans in scripts without blanks prove nothing. */
function wrongs({ text, spans }: SpannedText): readonly boolean[] {
  const places = new CodePoints(text);
  const [points, utf16] = (['code points', 'UTF-16'] as const).map((unit) =>
    spans.flatMap((span) => isWrong(text, places, span, unit) ?? []),
  );
  const count = (list: readonly boolean[]) => list.filter(Boolean).length;
  return count(utf16!) < count(points!) ? utf16! : points!;
}

function isWrong(text: string, points: CodePoints, span: GivenSpan, unit: OffsetUnit): boolean | null {
  const found = stretchOf(text, points, span, unit);
  if (found === null) return true;
  if (span.text !== undefined) return span.text !== found.stretch && !areAlike(found.stretch, span.text);
  const { before, after } = edgesOf(found.stretch);
  return isWithoutBlanks(found.stretch) ? null : found.isCut || before + after > 0;
}

function undecided(bytes: readonly SpannedText[], inclusive: readonly SpannedText[]): UnreadableFileError {
  const at = bytes.findIndex(({ spans }) => spans.length > 0);
  const [one, other] = [bytes[at]!, inclusive[at]!].map(({ text, spans }) =>
    quote(stretchOf(text, new CodePoints(text), spans[0]!, 'code points')?.stretch ?? ''),
  );
  return new UnreadableFileError(
    `offsets cut words; in row ${bytes[at]!.row} the first span is ${one} if they count bytes of UTF-8, and ${other} if its end is the ` +
      'last character; give each span its text, or count characters from 0, the end behind the last one',
  );
}
