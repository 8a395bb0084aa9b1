import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { Budget } from '#primitives/waiting/budget.js';
import { callerContext } from '#application/caller.js';
import { derivedId } from '#log/execute.js';
import { LineSplitter } from '#rows/formats/index.js';
import { ConflictError, InvalidError } from '#domain/errors.js';
import { feedbackDecider } from '#domain/feedback/index.js';
import { importedCallDecider } from '#domain/imported-call/index.js';
import type { Position } from '#ports/event-store/port.js';
import { ownTurn } from '#primitives/turns/own-turn.js';
import { feedbackDocuments } from '#projections/feedback/queries.js';
import { inferenceDocuments, inferenceOf } from '#projections/inferences/queries.js';
import { reviewDocuments } from '#projections/reviews/queries.js';
import { parsedBody } from '#apps/api/edge/body/body-reader.js';
import { BodyShape } from '#apps/api/edge/body/body-shape.js';
import { HttpError } from '#apps/api/edge/errors/index.js';
import { CallerCommand } from '../messages.js';
import { isRecord } from '#primitives/values.js';
import type { ImportReport } from '#apps/api/routes/inferences/import-dto.js';
import { readLine } from './import-line.js';

/** Limits of one request. */
export const MAX_IMPORT_BYTES = 64 * 1024 * 1024;
const MAX_IMPORT_LINES = 10_000;
/** Above the largest line of an export. */
const MAX_LINE_BYTES = 512 * 1024;
const MAX_LINE_VALUES = 25_000;
/** Lines that are taken at once. */
const MAX_AT_ONCE = 16;
const MAX_ERRORS = 1_000;

export class ImportInferences extends CallerCommand<AsyncIterable<Uint8Array>, ImportReport> {}

/** A line of a file; null if it is too long. */
interface Line {
  readonly number: number;
  readonly bytes: Buffer | null;
}

type Refusal = ImportReport['errors'][number];
type Outcome = { readonly isNew: boolean; readonly seenAt: readonly Position[] } | Refusal;

const KNOWN: Outcome = { isNew: false, seenAt: [] };

const SEEN_BY = [inferenceDocuments.name, feedbackDocuments.name, reviewDocuments.name];

/**
 * Imports calls of another system, each line on its own. A line's id is derived from its content, so that a repeat adds
 * only missing lines.
 */
@CommandHandler(ImportInferences)
export class ImportInferencesHandler implements ICommandHandler<ImportInferences> {
  private readonly running = new Budget({
    ...{ total: 4, perKey: 1, maxWaiting: 0, maxWaitMs: 0, busy: 'another import is at work; begin one after it' },
  });

  constructor(private readonly application: Application) {}

  /** @throws UnavailableError, HttpError 413 saying how many lines were taken */
  execute(command: ImportInferences): Promise<ImportReport> {
    return this.running.within(1, command.caller.workspaceId, () => this.import(command));
  }

  private async import(command: ImportInferences): Promise<ImportReport> {
    const report: ImportReport = { lines: 0, imported: 0, unchanged: 0, refused: 0, errors: [] };
    let latest: readonly Position[] = [];
    for await (const lines of together(linesOf(command.input))) {
      const taken = await Promise.allSettled(lines.map((line) => this.take(line, command)));
      for (const each of taken) if (each.status === 'rejected') throw each.reason;
      for (const outcome of taken.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))) {
        report.lines += 1;
        if ('reason' in outcome) {
          report.refused += 1;
          if (report.errors.length < MAX_ERRORS) report.errors.push(outcome);
        } else if (outcome.isNew) report.imported += 1;
        else report.unchanged += 1;
      }
      const positions = taken.flatMap((each) =>
        each.status === 'fulfilled' && 'seenAt' in each.value ? each.value.seenAt : [],
      );
      if (positions.length > 0) latest = positions;
    }
    await Promise.all(latest.map((position) => this.application.visibility.wait(SEEN_BY, position)));
    return report;
  }

  private async take({ number, bytes }: Line, { caller, identity }: ImportInferences): Promise<Outcome> {
    let value: unknown = null;
    try {
      if (bytes === null) throw new ConflictError(`the line is larger than ${MAX_LINE_BYTES / 1024} KiB`);
      await ownTurn();
      new BodyShape(MAX_LINE_VALUES).read(bytes);
      value = parsedBody(bytes, 'line');
      const request = callerContext(caller, identity);
      const { call, feedback } = readLine(value, caller, request);
      const { inferenceId, lineId } = call;
      // An export of this very workspace has its own calls.
      if (lineId !== null && (await inferenceOf(this.application.ports.readStore, caller.workspaceId, lineId)))
        return KNOWN;
      const { commandId } = request;
      // Each line is a command of its own, and the same line of a repeated request finds its earlier result.
      const context = { ...request, commandId: derivedId(commandId, `line/${number}`), causationId: commandId };
      const command = { type: 'import-call', ...call } as const;
      const { position } = await this.application.execute(importedCallDecider, inferenceId, command, context);
      // Also after an interrupted request; feedback given here since then stays.
      const isJudged = feedback && (await this.application.load(feedbackDecider, inferenceId)).count > 0;
      const given =
        feedback && !isJudged ? await this.application.execute(feedbackDecider, inferenceId, feedback, context) : null;
      return {
        isNew: position !== null,
        seenAt: [position, given?.position ?? null].filter((each) => each !== null),
      };
    } catch (error) {
      const id = isRecord(value) && typeof value['id'] === 'string' ? value['id'].slice(0, 200) : null;
      return { line: number, id, ...refusalOf(error) };
    }
  }
}

/** The reason to refuse a line. @throws the error itself if it is not about the line */
function refusalOf(error: unknown): Pick<Refusal, 'field' | 'reason'> {
  if (error instanceof InvalidError) {
    const [first] = error.fields;
    return { field: first!.path.slice(1).join('.') || null, reason: first!.message };
  }
  if (error instanceof HttpError && error.status < 500) {
    const first = error.options.errors?.[0];
    return first
      ? { field: first.loc.slice(1).join('.') || null, reason: first.msg }
      : { field: null, reason: error.message };
  }
  if (error instanceof ConflictError) return { field: null, reason: error.message };
  throw error;
}

/** Lines that are not blank, with their numbers from 1. @throws HttpError 413 beyond the limits of a request */
async function* linesOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const splitter = new LineSplitter();
  let [number, size, isCut] = [0, 0, false];
  const read = (bytes: Buffer): Line[] => {
    if (number === MAX_IMPORT_LINES) throw tooLarge(`${MAX_IMPORT_LINES} lines`, number);
    const isLong = isCut || bytes.length > MAX_LINE_BYTES;
    isCut = false;
    number += 1;
    return isLong || !isBlank(bytes) ? [{ number, bytes: isLong ? null : bytes }] : [];
  };
  for await (const chunk of content) {
    if ((size += chunk.length) > MAX_IMPORT_BYTES) throw tooLarge(`${MAX_IMPORT_BYTES / 1024 / 1024} MiB`, number);
    for (const line of splitter.push(Buffer.from(chunk))) yield* read(line);
    if (splitter.unfinished <= MAX_LINE_BYTES) continue;
    splitter.end();
    isCut = true;
  }
  const [rest = Buffer.alloc(0)] = splitter.end();
  if (isCut || rest.length > 0) yield* read(rest);
}

/** Lines in groups of `MAX_AT_ONCE`; those before an error come before it. */
async function* together(lines: AsyncIterable<Line>): AsyncGenerator<readonly Line[]> {
  let some: Line[] = [];
  try {
    for await (const line of lines) {
      if (some.push(line) < MAX_AT_ONCE) continue;
      yield some;
      some = [];
    }
  } catch (error) {
    if (some.length > 0) yield some;
    throw error;
  }
  if (some.length > 0) yield some;
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);

export const tooLarge = (limit: string, taken: number): HttpError =>
  new HttpError(
    413,
    `an import may have at most ${limit}; ` +
      (taken === 0
        ? 'no line was imported: send the lines in several requests'
        : `lines 1 to ${taken} were processed: send the others in further requests`),
    { code: 'request_too_large' },
  );
