import { basename } from 'node:path';
import { encryptedObjects } from '#ports/object-store/encrypted/index.js';
import { openObjectStore } from '#ports/object-store/open.js';
import { isOutOfRoom } from '#ports/object-store/out-of-room.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { withoutPaths } from '#primitives/text/without-paths.js';
import { EngineUnavailableError, UnsupportedExportError } from '#gpu-runner/engines/decoder-engine.js';
import { RefusedSchemaError } from '#gpu-runner/engines/encoder-engine.js';
import { ArtifactError, TrainingError, UnsupportedHeadError } from '#gpu-runner/engines/engine.js';
import type { ObjectKeys, Work } from '../contract/work.js';
import type { Say, WorkContext } from './context.js';
import { DamagedObjectError } from './folders.js';
import type { FromChild, ToChild } from './messages.js';
import { patient } from './patient-objects.js';
import { pinnedEngine, UnfitRunnerError } from './pinned-engine.js';
import { causeOfUnforeseen, nameOfUnforeseen } from './unforeseen.js';

/**
 * The process of one attempt: carries out its first message, reports progress to its runner, and ends. It stops on
 * request, and at once when its runner dies.
 */
export function serveAttempt<Kind extends Work['kind']>(
  kind: Kind,
  perform: (work: Extract<Work, { kind: Kind }>, context: WorkContext) => Promise<void>,
): void {
  const stop = new AbortController();
  process.on('disconnect', () => process.exit(1));
  process.on('message', (message: ToChild) => {
    if (message.kind === 'stop') stop.abort(new Error('stopped'));
    else if (message.work.kind === kind)
      void run(message, (context) => perform(message.work as Extract<Work, { kind: Kind }>, context), stop.signal);
  });
}

async function run(
  { work, setup }: Extract<ToChild, { kind: 'start' }>,
  perform: (context: WorkContext) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { directory, engines } = setup;
  const said = new Said([
    directory,
    ...engines.flatMap(({ baseModels }) => baseModels.map((model) => model.directory)),
  ]);
  try {
    const objectStore = patient(withKeys(await openObjectStore(setup.objectStore), setup.objectKeys), {
      onOutage: () =>
        said.log('warn', 'The object store does not answer, or takes nothing more; waiting until it does', 'runner'),
      onMove: () => said.working(),
      signal,
    });
    await perform({ pinned: () => pinnedEngine(work, engines), objectStore, directory, say: said, signal });
  } catch (error) {
    if (!signal.aborted) said.failure(error);
  }
  await said.done();
  process.exit(0);
}

/** The object store, which reads and writes with these keys only. */
function withKeys(store: ObjectStore, keys: ObjectKeys = {}): ObjectStore {
  const given = async (name: string) => (Object.hasOwn(keys, name) ? Buffer.from(keys[name]!, 'base64') : null);
  return encryptedObjects(store, { named: given, make: given, destroyNamed: async () => undefined });
}

/** Steps within this time of the last message are not reported. */
const WORKING_MS = 1_000;

/** Messages go over the channel in order; the process ends only when all have been handed over. */
class Said implements Say {
  private last: Promise<void> = Promise.resolve();
  /** In monotonic ms. */
  private sentAt = -Infinity;

  /** @param folders those of which messages name the last part only: users need not know where they are */
  constructor(private readonly folders: readonly string[]) {}

  report: Say['report'] = (report) => this.send({ kind: 'report', report });
  progress: Say['progress'] = ({ fraction, epoch, step }) =>
    this.send({ kind: 'progress', progress: { fraction, epoch, step } });
  log: Say['log'] = (level, message, source = 'training') =>
    this.send({ kind: 'log', line: { timestamp: new Date().toISOString(), level, message, source } });

  working(): void {
    if (performance.now() - this.sentAt >= WORKING_MS) this.send({ kind: 'working' });
  }

  /**
   * An unforeseen error goes to the operator on stderr; the user sees only its kind, or an engine's message about its
   * own process.
   */
  failure(error: unknown): void {
    if (isForUser(error) && !isOutOfRoom(error)) {
      const named = this.folders.reduce((text, folder) => text.replaceAll(folder, basename(folder)), error.message);
      const message = withoutPaths(named);
      this.log('error', message);
      this.report({ kind: 'failed', reason: message });
      return;
    }
    console.error(error);
    const reason = error instanceof EngineUnavailableError ? withoutPaths(error.message) : nameOfUnforeseen(error);
    this.log('error', `The attempt ended: ${reason}`, 'runner');
    this.report({ kind: 'lost', reason, orderly: false, cause: causeOfUnforeseen(error) });
  }

  done(): Promise<void> {
    return this.last;
  }

  private send(message: FromChild): void {
    this.sentAt = performance.now();
    const sent = new Promise<void>((resolve) => {
      // An error here means that the runner has died: the 'disconnect' handler ends the process.
      if (process.connected) process.send!(message, undefined, {}, () => resolve());
      else resolve();
    });
    this.last = Promise.all([this.last, sent]).then(() => undefined);
  }
}

const isForUser = (error: unknown): error is Error =>
  error instanceof TrainingError ||
  error instanceof ArtifactError ||
  error instanceof UnsupportedHeadError ||
  error instanceof RefusedSchemaError ||
  error instanceof UnsupportedExportError ||
  error instanceof DamagedObjectError ||
  error instanceof UnfitRunnerError;
