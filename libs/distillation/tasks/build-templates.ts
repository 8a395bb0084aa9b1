import { isDeepStrictEqual } from 'node:util';
import { chunksOf } from './chunks.js';
import { clusters, sharedConstants } from './clusters.js';
import { withEnclosed } from './enclosed.js';
import type { ReadCall } from '../calls/read-call.js';
import { isAlike, shapeOf } from './forms.js';
import { judgeHoles, type FilledHole, type Judged } from './holes.js';
import { valuesOf } from './matcher.js';
import { promptsByValue, type PromptsByValue } from './split-by-value.js';
import { ShingleTable, type ShingledText } from './shingles.js';
import { constantLength, type Hole, type Template } from './template.js';

/** A constant part that some calls of a bucket have in common. */
export interface BuiltTemplate {
  readonly template: Template;
  readonly judged: Judged;
  /** The calls with its chunks. */
  readonly calls: readonly ReadCall[];
}

/** Fewer calls are no task. */
export const MIN_CALLS = 10;
/** Requests that are compared with each other. */
const SAMPLE = 400;
/** Groups that share so much of their constant characters are one prompt, if their answers are alike. */
const SHARED = 0.6;
/** What stands before or behind a text that is put into a prompt, at the very place. */
const LABEL_BEFORE = /[:"'`>\])}]\s*$/;
const LABEL_BEHIND = /^\s*["'`<[({]/;

interface Sampled extends ReadCall {
  readonly shingled: ShingledText;
}

/** The templates of the calls of one bucket, those with the most constant characters first. */
export function buildTemplates(calls: readonly ReadCall[]): readonly BuiltTemplate[] {
  const table = new ShingleTable();
  const sample = sampled(calls).map((call) => ({ ...call, shingled: table.read(textsOf(call)) }));
  const groups = merged(clusters(sample, table), table);
  const outlines = groups.map((group) => outlineOf(group)).sort((one, other) => other.length - one.length);
  let left = calls;
  return outlines.flatMap((outline) => {
    const own = left.filter((call) => outline.cut(call) !== null);
    // Its calls may be of the next one.
    if (own.length < MIN_CALLS) return [];
    const built = finished(outline, own);
    const taken = new Set(built.flatMap(({ calls: each }) => each));
    left = left.filter((call) => !taken.has(call));
    return built;
  });
}

/** Distinct requests, evenly spread over time: copies would look like a constant part. */
function sampled(calls: readonly ReadCall[]): readonly ReadCall[] {
  const distinct = [...new Map(calls.map((call) => [JSON.stringify(textsOf(call)), call])).values()];
  const step = Math.max(1, distinct.length / SAMPLE);
  return Array.from({ length: Math.min(SAMPLE, distinct.length) }, (_, at) => distinct[Math.floor(at * step)]!);
}

const textsOf = ({ request }: ReadCall): readonly string[] => request.parts.map(({ text }) => text);

/** Chunks of each part, and what is known of the holes between them. */
interface Outline {
  readonly chunks: readonly (readonly string[])[];
  readonly judged: Judged;
  readonly length: number;
  /** The values of all holes; null for another prompt. */
  readonly cut: (call: ReadCall) => readonly (readonly string[])[] | null;
}

function outlineOf(group: readonly Sampled[]): Outline {
  const found = chunksOf(
    group.map(textsOf),
    group.map(({ shingled }) => shingled),
  );
  const chunks = enclosing(found, judgedBy(found, group));
  const judged = judgedBy(chunks, group);
  const holes = judged.kind === 'refused' ? null : judged.holes;
  const length = constantLength({ parts: chunks.map((own) => ({ role: 'user', chunks: own, holes: [] })) });
  return { chunks, judged, length, cut: (call) => cutBy(chunks, holes, call) };
}

const judgedBy = (chunks: Outline['chunks'], group: readonly Sampled[]): Judged =>
  judgeHoles(filledHoles(chunks, group, (call) => cutBy(chunks, null, call)));

/** The chunks, with all for the text that encloses it. */
function enclosing(chunks: Outline['chunks'], judged: Judged): Outline['chunks'] {
  if (judged.kind === 'refused') return chunks;
  let first = 0;
  return chunks.map((own) => {
    const hole = judged.text - first;
    first += own.length - 1;
    return hole < 0 || hole >= own.length - 1 ? own : (withEnclosed(own, hole) ?? own);
  });
}

/** The template of the calls of an outline, or several, if what differs is a part of the prompt. */
function finished({ chunks, judged, cut }: Outline, calls: readonly ReadCall[]): readonly BuiltTemplate[] {
  const again = judged.kind === 'refused' ? judged : judgeHoles(filledHoles(chunks, calls, cut));
  const prompts = again.kind === 'refused' ? null : promptsIn({ chunks, cut }, calls, again);
  if (prompts !== null)
    return [...prompts.values].flatMap(([value, own]) => {
      const filled = withValue(chunks, prompts.hole, value);
      const one = judgeHoles(filledHoles(filled, own, (call) => cutBy(filled, null, call)));
      const holes = one.kind === 'refused' ? null : one.holes;
      return finished({ chunks: filled, judged: one, length: 0, cut: (call) => cutBy(filled, holes, call) }, own);
    });
  const { parts, tools, format } = calls[0]!.request;
  const holes = again.kind === 'refused' ? holesIn(chunks) : again.holes;
  let first = 0;
  const own = chunks.map((each, at) => {
    const from = first;
    first += each.length - 1;
    return { role: parts[at]!.role, chunks: each, holes: holes.slice(from, first) };
  });
  return [{ template: { parts: own, tools, format }, judged: again, calls }];
}

function promptsIn(
  { chunks, cut }: Pick<Outline, 'chunks' | 'cut'>,
  calls: readonly ReadCall[],
  { holes, others }: Exclude<Judged, { readonly kind: 'refused' }>,
): PromptsByValue | null {
  const cutCalls = calls.map((call) => ({ call, values: cut(call)!.flat() }));
  return promptsByValue(cutCalls, { holes, before: chunks.flatMap((own) => own.slice(0, -1)), asked: others });
}

/** The chunks with a hole filled. */
function withValue(chunks: Outline['chunks'], hole: number, value: string): Outline['chunks'] {
  let first = 0;
  return chunks.map((own) => {
    const at = hole - first;
    first += own.length - 1;
    if (at < 0 || at >= own.length - 1) return own;
    return [...own.slice(0, at), `${own[at]!}${value}${own[at + 1]!}`, ...own.slice(at + 2)];
  });
}

const holesIn = (chunks: readonly (readonly string[])[]): readonly Hole[] =>
  chunks.flatMap((own) => own.slice(1).map(() => ({ kind: 'left-out', maxLength: 0 }) as const));

function cutBy(
  chunks: Outline['chunks'],
  holes: readonly Hole[] | null,
  { request }: ReadCall,
): readonly (readonly string[])[] | null {
  const all = holes ?? holesIn(chunks);
  const values: (readonly string[])[] = [];
  let first = 0;
  for (const [at, own] of chunks.entries()) {
    const found = valuesOf({ chunks: own, holes: all.slice(first, first + own.length - 1) }, request.parts[at]!.text);
    if (found === null) return null;
    values.push(found);
    first += own.length - 1;
  }
  return values;
}

function filledHoles(
  chunks: Outline['chunks'],
  calls: readonly ReadCall[],
  cut: Outline['cut'],
): readonly FilledHole[] {
  const values = calls.map(cut).filter((each) => each !== null);
  const { parts } = calls[0]!.request;
  return chunks.flatMap((own, part) =>
    own.slice(1).map((after, hole) => ({
      role: parts[part]!.role,
      before: own[hole]!,
      after,
      values: values.map((each) => each[part]![hole]!),
    })),
  );
}

/** Groups of one prompt are one: a parameter, or a text with an opening of its own, had split them. */
function merged(groups: readonly (readonly Sampled[])[], table: ShingleTable): readonly (readonly Sampled[])[] {
  const left = groups.map((calls) => ({
    calls,
    outline: outlineOf(calls),
    shape: shapeOf(calls.map(({ answer }) => answer)),
  }));
  for (let one = 0; one < left.length; one += 1) {
    for (let other = one + 1; other < left.length; other += 1) {
      const [first, second] = [left[one]!, left[other]!];
      const isSame = isDeepStrictEqual(first.outline.chunks, second.outline.chunks);
      const shared = isSame ? 1 : sharedConstants(shingledOf(first.calls), shingledOf(second.calls), table);
      if (!isSame && (!isAlike(first.shape, second.shape) || shared < SHARED)) continue;
      const calls = [...first.calls, ...second.calls];
      const outline = outlineOf(calls);
      if (!isSame && ![first, second].every((each) => cutsAlike(each.outline, outline, each.calls))) continue;
      left.splice(other, 1);
      left[one] = { calls, outline, shape: shapeOf(calls.map(({ answer }) => answer)) };
      // What did not fit the smaller group may fit this one.
      other = one;
    }
  }
  return left.map(({ calls }) => calls);
}

const shingledOf = (calls: readonly Sampled[]): readonly ShingledText[] => calls.map(({ shingled }) => shingled);

/** Whether an outline of more calls cuts the texts as that of a group does, but for openings of the texts themselves. */
function cutsAlike(own: Outline, wider: Outline, calls: readonly Sampled[]): boolean {
  if (own.judged.kind === 'refused') return true;
  if (wider.judged.kind === 'refused') return false;
  const [one, other] = [own.judged.text, wider.judged.text];
  const fits = calls.filter((call) => {
    const [text, whole] = [own.cut(call)?.flat()[one], wider.cut(call)?.flat()[other]];
    if (text === undefined || whole === undefined) return false;
    const at = whole.indexOf(text);
    if (at < 0) return false;
    return !LABEL_BEFORE.test(whole.slice(0, at)) && !LABEL_BEHIND.test(whole.slice(at + text.length));
  });
  return fits.length >= 0.9 * calls.length;
}
