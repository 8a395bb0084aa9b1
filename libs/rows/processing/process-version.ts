import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { loadVersion } from '#application/datasets.js';
import { ChildDiedError, ConfinedProcess, withFolder, type ChildLimits } from '#primitives/confined-process/index.js';
import { DEFAULT_LIMITS, encodeIndex, indexKey, type FileLimits, type Room, type RowIndex } from '../formats/index.js';
import {
  datasetDecider,
  MAX_PROCESSING_ATTEMPTS,
  MAX_PROCESSING_ATTEMPTS_IN_VAIN,
  type Contents,
  type DatasetCommand,
  type DatasetVersion,
  type LeftOut,
  type PinnedObject,
  type RowErrors,
} from '#domain/dataset/index.js';
import { NotFoundError, QuotaExceededError, UnavailableError } from '#domain/errors.js';
import { underLease } from '#log/leadership/index.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';
import type { ChildMessage, ProcessingJob } from './protocol.js';
import { toleranceOf, verdictOf } from './verdict.js';

export interface ProcessingOptions extends ChildLimits {
  /** Limits of uploaded files. */
  readonly files: FileLimits;
  /** Threads that check the rows of one file. */
  readonly threads: number;
}

const CHILD = new URL('./child.js', import.meta.url);

export const DEFAULT_OPTIONS: ProcessingOptions = {
  heapMiB: 512,
  memoryMiB: 2048,
  silenceMs: 60_000,
  totalMs: 6 * 60 * 60 * 1000,
  files: DEFAULT_LIMITS,
  threads: Math.min(4, availableParallelism()),
};

type Open = Extract<DatasetVersion, { status: 'uploading' | 'converting' | 'validating' }>;

type Verdict =
  | {
      readonly kind: 'valid';
      readonly contents: Contents;
      readonly object: PinnedObject;
      readonly index: PinnedObject;
      readonly leftOut: LeftOut | null;
    }
  | { readonly kind: 'refused'; readonly reason: string; readonly rowErrors: RowErrors | null };

/**
 * Takes sealed uploads through converting and validating, each in a child process. An attempt is recorded in the log
 * before it begins, so that a file that crashes its reader is given up after a few attempts, and one that crashes the
 * whole server after many; an orderly shutdown, or a store that is unreachable or full, does not count against it.
 */
export class VersionProcessor {
  private readonly worker = randomUUID();
  /**
   * Attempts of this worker that were interrupted through no fault of the file, before the log could record it: they
   * continue.
   */
  private readonly unfinished = new Map<string, number>();

  constructor(
    private readonly application: Application,
    private readonly options: ProcessingOptions,
  ) {}

  /**
   * Processes a version; does nothing while another worker does, because an open version is offered again.
   * @param stream id of the dataset's stream
   * @throws if the failure is not the file's fault: retry later
   */
  async process(stream: string, versionId: string, signal: AbortSignal): Promise<void> {
    // The lease avoids duplicate work. That no work counts twice rests on the attempt in the log.
    const { coordination: leases } = this.application.ports;
    const lease = { leases, name: `dataset-processing/${versionId}`, holder: this.worker };
    await underLease(lease, signal, (held) => this.tryUntilSettled(stream, versionId, held));
  }

  private async tryUntilSettled(stream: string, versionId: string, signal: AbortSignal): Promise<void> {
    let died = 'the process that read it ended';
    for (;;) {
      const version = await this.open(stream, versionId);
      if (version === null || signal.aborted) return;
      const goesOn = this.unfinished.get(versionId) === version.attempt;
      const inVain = this.lostInVain(version, goesOn);
      if (inVain >= MAX_PROCESSING_ATTEMPTS_IN_VAIN) return this.giveUp(stream, version, inVain, died);
      if (version.attempt >= MAX_PROCESSING_ATTEMPTS && !goesOn)
        return this.giveUp(stream, version, version.attempt, 'the server ended each time');
      const attempt = goesOn ? version.attempt : version.attempt + 1;
      this.unfinished.delete(versionId);
      const cause = await this.attempt(stream, version, attempt, signal);
      if (cause === null) return;
      died = cause;
    }
  }

  /**
   * An attempt that this worker began and did not end was lost with its child; other workers' attempts ended with them.
   */
  private lostInVain(version: Open, goesOn: boolean): number {
    const lostHere = !goesOn && 'worker' in version && version.worker === this.worker;
    return (version.lostInVain ?? 0) + (lostHere ? 1 : 0);
  }

  /** @returns null when there is a verdict, else why the child died without one */
  private async attempt(stream: string, version: Open, attempt: number, signal: AbortSignal): Promise<string | null> {
    const { versionId, workspaceId } = version;
    const of = { workspaceId, versionId, attempt };
    // Checked first, so that no attempt is recorded while the store is down.
    await this.application.ports.objectStore.stat(version.source.key);
    await this.start(stream, of);
    try {
      const verdict = await this.read(stream, version, attempt, signal);
      if (verdict.kind === 'valid') {
        const { contents, object, index, leftOut } = verdict;
        const version = { ...of, contents, object, index, ...(leftOut && { leftOut }) };
        await this.complete(stream, { type: 'complete-version', ...version });
      } else {
        const { reason, rowErrors } = verdict;
        await this.decide(stream, { type: 'fail-version', ...of, reason, rowErrors });
      }
      return null;
    } catch (error) {
      if (error instanceof ChildDiedError && !signal.aborted) return error.message;
      if (error instanceof ObjectNotFoundError) {
        const reason = 'the uploaded file is no longer there; upload it again';
        await this.decide(stream, { type: 'fail-version', ...of, reason, rowErrors: null });
        return null;
      }
      // Returned in the log itself: another worker may be the next to try, and would count it.
      const givenBack = this.decide(stream, { type: 'interrupt-processing', ...of });
      if (signal.aborted) {
        await givenBack;
        return null;
      }
      await givenBack.catch(() => this.unfinished.set(versionId, attempt));
      throw error;
    }
  }

  private async complete(
    stream: string,
    command: Extract<DatasetCommand, { type: 'complete-version' }>,
  ): Promise<void> {
    try {
      await this.decide(stream, command);
    } catch (error) {
      // Deleted in the meantime.
      if (error instanceof NotFoundError) {
        await this.discard(command.object.key);
        await this.application.storage.forget(command.workspaceId, command.versionId);
      }
      throw error;
    }
  }

  private async start(
    stream: string,
    of: { readonly workspaceId: string; readonly versionId: string; attempt: number },
  ) {
    try {
      await this.decide(stream, { type: 'start-conversion', ...of, worker: this.worker });
    } catch (error) {
      // The append may still have succeeded.
      if (error instanceof UnavailableError) this.unfinished.set(of.versionId, of.attempt);
      throw error;
    }
  }

  private async read(stream: string, version: Open, attempt: number, signal: AbortSignal): Promise<Verdict> {
    const { objectStore } = this.application.ports;
    const { workspaceId, versionId } = version;
    const key = `datasets/${workspaceId}/${versionId}/rows-${attempt}.jsonl`;
    const source = await objectStore.get(version.source.key);
    const { storage } = this.application;
    const reserved = storage.reservation(workspaceId, versionId, 'rows');
    // Releases the reservation of an attempt that was cut off.
    await reserved.release();
    const room = await storage.left(workspaceId);
    return withFolder(this.options.totalMs, async (folder) => {
      const reader = this.reader(version, folder, room, signal);
      try {
        const converting = convert(reader, source);
        const object = await objectStore.put(key, reserved.metered(converting.rows));
        const index = await objectStore.put(indexKey(key), encodeIndex(converting.index()!));
        await this.decide(stream, { type: 'start-validation', workspaceId, versionId, attempt });
        const { verdict, lines } = await verdictOf(reader);
        if (verdict.kind === 'valid' && verdict.sha256 === object.sha256 && verdict.size === object.size) {
          const { contents } = verdict;
          const leftOut = verdict.leftOut && {
            ...verdict.leftOut,
            list: await objectStore.put(leftOutKey(key), lines),
          };
          await reserved.hold({ bytes: object.size + (leftOut?.list.size ?? 0), rows: contents.rows });
          return { kind: 'valid', contents, object, index, leftOut };
        }
        await this.discard(key);
        await reserved.release();
        if (verdict.kind === 'refused') return verdict;
        throw new ChildDiedError('what it read is not what was stored');
      } catch (error) {
        await this.discard(key);
        await reserved.release();
        if (error instanceof RefusedFile) return error.verdict;
        if (error instanceof QuotaExceededError) return { kind: 'refused', reason: error.message, rowErrors: null };
        throw error;
      } finally {
        await reader.stop();
      }
    });
  }

  private reader(version: Open, folder: string, room: Room, signal: AbortSignal): ConfinedProcess<ChildMessage> {
    const { datasetType, format, layout = null, fileName, columnMapping, labelNames } = version;
    const { files: limits, threads, heapMiB } = this.options;
    const what = { datasetType, format, layout, fileName, columnMapping, labelNames, areRaw: false };
    const tolerance = toleranceOf(version);
    const job: ProcessingJob = { ...what, tolerance, limits, room, folder, threads, heapMiB };
    return new ConfinedProcess(job, { ...this.options, program: CHILD, folder, signal });
  }

  /** Best effort: objects that no event names do not count. */
  private async discard(key: string): Promise<void> {
    const { objectStore } = this.application.ports;
    await Promise.allSettled([key, indexKey(key), leftOutKey(key)].map((each) => objectStore.delete(each)));
  }

  private giveUp(
    stream: string,
    { workspaceId, versionId, attempt }: Open,
    times: number,
    cause: string,
  ): Promise<void> {
    const reason = `reading the file broke down ${times} times: ${cause}; check the file, or split it`;
    return this.decide(stream, { type: 'fail-version', workspaceId, versionId, attempt, reason, rowErrors: null });
  }

  private async open(stream: string, versionId: string): Promise<Open | null> {
    const version = await loadVersion(this.application, stream, versionId);
    const isOpen = version && ['uploading', 'converting', 'validating'].includes(version.status);
    return isOpen ? (version as Open) : null;
  }

  private async decide(stream: string, command: Extract<DatasetCommand, { versionId: string }>): Promise<void> {
    const context = systemContext('dataset-processing', command.workspaceId);
    await this.application.execute(datasetDecider, stream, command, context);
  }
}

/** Key of the list of rows that were left out, next to the rows. */
const leftOutKey = (rowsKey: string): string => `${rowsKey}.left-out`;

/** The file as a whole is refused, while its rows were still being written. */
class RefusedFile extends Error {
  constructor(readonly verdict: Extract<ChildMessage, { kind: 'refused' }>) {
    super(verdict.reason);
  }
}

/** Rows as the child writes them; ends with an error unless the child confirms that they are complete. */
function convert(reader: ConfinedProcess<ChildMessage>, source: AsyncIterable<Uint8Array>) {
  let index: RowIndex | null = null;
  async function* rows(): AsyncGenerator<Uint8Array> {
    const feeding = reader.feed(source);
    feeding.catch(() => undefined);
    yield* reader.output();
    const message = await reader.next();
    if (message.kind === 'refused') {
      // Waits first: the process may have refused the end of a file that broke off here.
      await feeding;
      throw new RefusedFile(message);
    }
    if (message.kind !== 'converted') throw new ChildDiedError('it spoke out of turn');
    await feeding;
    index = message.index;
  }
  return { rows: rows(), index: (): RowIndex | null => index };
}
