import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { Budget } from '#primitives/waiting/budget.js';
import { callerContext } from '#application/caller.js';
import { derivedId } from '#log/execute.js';
import { ConflictError, InvalidError } from '#domain/errors.js';
import { feedbackDecider } from '#domain/feedback/index.js';
import { importedCallDecider } from '#domain/imported-call/index.js';
import type { Position } from '#ports/event-store/port.js';
import { feedbackDocuments } from '#projections/feedback/queries.js';
import { inferenceDocuments, inferenceOf } from '#projections/inferences/queries.js';
import { reviewDocuments } from '#projections/reviews/queries.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { callIn, type SentLine } from '../imported-line.js';

/** Lines that are taken at once. */
const MAX_AT_ONCE = 16;
const MAX_ERRORS = 1_000;

/** A line of a file of calls, numbered from 1. */
export interface NumberedLine {
  readonly number: number;
  /** null if it has none. */
  readonly id: string | null;
  readonly line: SentLine | Reason;
}

/** Why a line is refused; null: not because of one field. */
export interface Reason {
  readonly field: string | null;
  readonly reason: string;
}

interface Refusal extends Reason {
  /** From 1. */
  readonly line: number;
  readonly id: string | null;
}

interface ImportReport {
  /** The sum of the next three. */
  lines: number;
  imported: number;
  /** Calls that existed already. */
  unchanged: number;
  refused: number;
  /** The first of the refused. */
  readonly errors: Refusal[];
}

export class ImportInferences extends CallerCommand<AsyncIterable<NumberedLine>, ImportReport> {}

type Outcome = { readonly isNew: boolean; readonly seenAt: readonly Position[] } | Refusal;

const KNOWN: Outcome = { isNew: false, seenAt: [] };

const SEEN_BY = [inferenceDocuments.collection, feedbackDocuments.collection, reviewDocuments.collection];

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

  /** @throws UnavailableError; an error of the lines, once those before it are taken */
  execute(command: ImportInferences): Promise<ImportReport> {
    return this.running.within(1, command.caller.workspaceId, () => this.import(command));
  }

  private async import(command: ImportInferences): Promise<ImportReport> {
    const report: ImportReport = { lines: 0, imported: 0, unchanged: 0, refused: 0, errors: [] };
    let latest: readonly Position[] = [];
    for await (const lines of together(command.input)) {
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

  private async take({ number, id, line }: NumberedLine, { caller, identity }: ImportInferences): Promise<Outcome> {
    if ('reason' in line) return { line: number, id, ...line };
    try {
      const request = callerContext(caller, identity);
      const { call, feedback } = callIn(line, caller, request);
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
      return { line: number, id, ...refusalOf(error) };
    }
  }
}

/** The reason to refuse a line. @throws the error itself if it is not about the line */
function refusalOf(error: unknown): Reason {
  if (error instanceof ConflictError) return { field: null, reason: error.message };
  if (!(error instanceof InvalidError)) throw error;
  return reasonOf(error);
}

export function reasonOf({ fields: [first] }: InvalidError): Reason {
  return { field: first!.path.slice(1).join('.') || null, reason: first!.message };
}

/** Lines in groups of `MAX_AT_ONCE`; those before an error come before it. */
async function* together(lines: AsyncIterable<NumberedLine>): AsyncGenerator<readonly NumberedLine[]> {
  let some: NumberedLine[] = [];
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
