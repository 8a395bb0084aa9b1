import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { ConflictError, DamagedError, InvalidError, NotFoundError } from '#domain/errors.js';
import type { StoredPredictions } from '#domain/evaluation/index.js';
import {
  comparedAnswers,
  comparedF1,
  comparedRows,
  MAX_COMPARED_ROWS,
  type ComparedFigure,
  type ComparedFigures,
} from '#evaluations/comparison.js';
import { WIDTH } from '#evaluations/row-counts.js';
import { rowFactsOf, type RowFacts } from '#evaluations/row-facts.js';
import { storedLines } from '#evaluations/stored-lines.js';
import { COUNT_BYTES, countsKeyOf, factsKeyOf } from '#gpu-runner/contract/predictions.js';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import { verified } from '#ports/object-store/verified.js';
import type { EvaluationDocument } from '#projections/evaluations/projection.js';
import { evaluationDocuments } from '#projections/evaluations/queries.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { rightRows } from '../predictions.js';

interface EvaluationsToCompare {
  readonly id: string;
  readonly other: string;
  /** Aborts when the client leaves. */
  readonly gone: AbortSignal;
}

/** Two complete evaluations on the same rows. Figures are absent where there are none, or too many rows. */
export interface Comparison {
  readonly one: Complete;
  readonly two: Complete;
  readonly correct: ComparedFigure;
  /** Of generated answers; of labels, `f1`. */
  readonly answers?: ComparedFigures;
  readonly f1?: ComparedFigure | undefined;
}

export class CompareEvaluations extends CallerQuery<EvaluationsToCompare, Comparison> {}

type Complete = EvaluationDocument & { readonly predictions: StoredPredictions; readonly sampleCount: number };

@QueryHandler(CompareEvaluations)
export class CompareEvaluationsHandler implements IQueryHandler<CompareEvaluations> {
  constructor(private readonly application: Application) {}

  /**
   * @throws NotFoundError, ConflictError naming one that is not complete, or whose predictions are erased
   * @throws InvalidError the two are not of the same rows
   * @throws DamagedError predictions of one are missing or damaged
   */
  async execute({ caller, input: { id, other, gone } }: CompareEvaluations): Promise<Comparison> {
    const [one, two] = await Promise.all([this.complete(caller, id), this.complete(caller, other)]);
    requireSameRows(one, two);
    const { objectStore } = this.application.ports;
    const correct = await comparedRight(objectStore, one, two, gone);
    if (!one.metrics?.generation) return { one, two, correct, f1: await f1Compared(objectStore, one, two, gone) };
    const { judge, ...answers } = await answersCompared(objectStore, one, two, gone);
    return { one, two, correct, answers: { ...answers, ...(judge && haveSameJudge(one, two) && { judge }) } };
  }

  private async complete(caller: Caller, id: string): Promise<Complete> {
    const evaluation = await evaluationDocuments.get(this.application.ports.readStore, id);
    if (evaluation?.workspaceId !== caller.workspaceId) throw new NotFoundError('evaluation', id);
    const { status, predictions, predictionsErasedAt, sampleCount } = evaluation;
    if (predictionsErasedAt !== undefined)
      throw new ConflictError(`the predictions of evaluation ${id} are erased; evaluate again to compare`);
    if (status !== 'complete' || predictions === null || sampleCount === null)
      throw new ConflictError(`evaluation ${id} is ${status}; only complete ones are compared`);
    return { ...evaluation, predictions, sampleCount };
  }
}

function requireSameRows(one: Complete, two: Complete): void {
  const refuse = (message: string) => {
    throw new InvalidError({ path: ['query', 'with'], message, type: 'not_allowed' });
  };
  if (one.id === two.id) refuse('names the same evaluation; name another one on the same rows');
  if (!one.metrics?.generation !== !two.metrics?.generation)
    refuse('names an evaluation of another kind of model: encoders and decoders are not compared');
  if (rowsOf(one) !== rowsOf(two) || one.sampleCount !== two.sampleCount)
    refuse(`names an evaluation on other rows: ${shownRows(two)}, where this one is on ${shownRows(one)}`);
  if (one.sampleCount === 0) refuse('names an evaluation of no rows');
}

/** Equal for the same rows: those of the versions, and which of them are used. */
const rowsOf = ({ datasets, heldOut, crossValidation }: Complete): string =>
  JSON.stringify([
    datasets.map(({ object }) => object.sha256),
    heldOut && [
      ...[heldOut.share, heldOut.seed, heldOut.groups ?? null],
      ...[heldOut.byTextFrom ?? heldOut.groups?.length ?? 1, heldOut.wholeGroup ?? null, heldOut.correctsFrom ?? null],
    ],
    ...choiceOf(crossValidation),
  ]);

/** A cross-validation is of all rows, but for those that its job holds out whole or that a later one corrects. */
const choiceOf = (crossValidation: Complete['crossValidation']): readonly unknown[] => {
  const { splitWholeGroup, splitCorrectsFrom, splitGroups } = crossValidation?.configuration ?? {};
  const isAll = splitWholeGroup === undefined && splitCorrectsFrom === undefined;
  return isAll ? [] : [splitGroups, splitWholeGroup, splitCorrectsFrom];
};

/** Whether scores are comparable. */
function haveSameJudge({ judge: one }: Complete, { judge: two }: Complete): boolean {
  return (
    one?.provider === two?.provider &&
    one?.model === two?.model &&
    one?.rubric === two?.rubric &&
    one?.promptVersion === two?.promptVersion
  );
}

function shownRows({ datasets, heldOut, sampleCount }: Complete): string {
  const versions = datasets.map(({ name, versionNumber }) => `${JSON.stringify(name)} version ${versionNumber}`);
  return `${sampleCount} ${heldOut ? 'held-out ' : ''}rows of ${versions.join(', ')}`;
}

const damaged = () =>
  new DamagedError('The stored predictions are gone or damaged. Restore the object store from a backup.');

async function comparedRight(
  store: ObjectStore,
  one: Complete,
  two: Complete,
  gone: AbortSignal,
): Promise<ComparedFigure> {
  const other = rightRows(store, two.predictions, damaged, gone);
  let [wins, losses, right, rows] = [0, 0, 0, 0];
  try {
    for await (const isRight of rightRows(store, one.predictions, damaged, gone)) {
      const next = await other.next();
      if (next.done) break;
      const isOtherRight = next.value;
      rows += 1;
      if (isRight && isOtherRight) right += 1;
      else if (isRight) wins += 1;
      else if (isOtherRight) losses += 1;
    }
    // The hash of the other file is checked at its end.
    await other.next();
  } finally {
    await other.return(undefined);
  }
  if (rows !== one.sampleCount) throw damaged();
  return comparedRows({ wins, losses, right, rows });
}

async function answersCompared(
  store: ObjectStore,
  one: Complete,
  two: Complete,
  gone: AbortSignal,
): Promise<ComparedFigures> {
  const [a, b] = await Promise.all([countsOf(store, one), countsOf(store, two)]);
  return a && b ? comparedAnswers(a, b, gone) : {};
}

async function f1Compared(
  store: ObjectStore,
  one: Complete,
  two: Complete,
  gone: AbortSignal,
): Promise<ComparedFigure | undefined> {
  const [a, b] = await Promise.all([factsOf(store, one, gone), factsOf(store, two, gone)]);
  return a && b ? comparedF1(a, b, gone) : undefined;
}

/** The facts of labelled rows; null if there are too many, or none were stored. @throws DamagedError */
async function factsOf(
  store: ObjectStore,
  { predictions: { objectKey, factsSha256 }, sampleCount }: Complete,
  gone: AbortSignal,
): Promise<readonly RowFacts[] | null> {
  if (!factsSha256 || sampleCount > MAX_COMPARED_ROWS) return null;
  const stored = { objectKey: factsKeyOf(objectKey), sha256: factsSha256 };
  const facts = (await Array.fromAsync(storedLines(store, stored, damaged, gone))).map(rowFactsOf);
  if (facts.length !== sampleCount) throw damaged();
  return facts;
}

/**
 * The counts of generated answers; null if there are none, too many, or of another version.
 * @throws DamagedError
 */
async function countsOf(
  store: ObjectStore,
  { predictions, sampleCount, metrics }: Complete,
): Promise<Float64Array | null> {
  if (!metrics?.generation || sampleCount > MAX_COMPARED_ROWS) return null;
  try {
    const content = await store.get(countsKeyOf(predictions.objectKey));
    const { countsSha256 } = predictions;
    const chunks = await Array.fromAsync(countsSha256 ? verified(content, countsSha256, damaged) : content);
    const bytes = Uint8Array.from(Buffer.concat(chunks));
    return bytes.length === sampleCount * WIDTH * COUNT_BYTES ? new Float64Array(bytes.buffer) : null;
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return null;
    throw error;
  }
}
