import { mkdirSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { CreateService, ThreadCall, ThreadService } from '#primitives/thread/service.js';
import type { ServiceToStart } from '#primitives/thread/thread.js';
import type { NewLog } from '../log-created.js';
import { checkpointer } from './checkpointer.js';
import { Clearing } from './clearing.js';
import { isDamage } from './damage.js';
import { asUnusable, openForWriting, type Durability } from './database.js';
import { lockFolder, type FolderLock } from './lock.js';
import { holdsLogFile, presentOf, refuseLostLog, walOf } from './lost-log.js';
import { announceCommits } from './notifications.js';
import { LogWriter } from './writer.js';
import {
  FIELDS_PER_EVENT,
  type ArchivedTexts,
  type FlatEvents,
  type Write,
  type WriteAnswer,
  type WriteOutcome,
} from './writes.js';

interface LogServiceOptions {
  /** The data folder; made when missing. */
  readonly directory: string;
  readonly durability: Durability;
  readonly newLog?: NewLog | undefined;
  /** Files and folders that are created only after a log: if one exists without the log, the log was lost. */
  readonly traces?: readonly string[] | undefined;
  /** Other files whose existence proves that a log was here. */
  readonly remembers?: readonly string[] | undefined;
}

export const LOG_SERVICE = 'log';

/** The log's writer as a service of the store thread. It holds the lock on the folder, so it is the first to start. */
export function logService(options: LogServiceOptions): ServiceToStart {
  return { name: LOG_SERVICE, module: import.meta.resolve('./log-service.js'), options };
}

/**
 * Methods: `append(stream, expected, events, inPlaceOf)`, `hold(streams, events)`, `delete(stream)`, `archive(segment, texts)`, `learn(texts)`, `inspect-seal(keys)`, `begin-seal(keys)`,
 * `check-seal()`, `cover(position)` and `probe()`, all answered with a `WriteAnswer`; a
 * deletion once the events are removed from the files.
 */
export const createService: CreateService<LogServiceOptions> = (options) => {
  mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  const lock = lockFolder(options.directory);
  try {
    return serve(options, lock);
  } catch (error) {
    lock.release();
    throw isDamage(error) ? asUnusable(options.directory, error) : error;
  }
};

function serve(
  { directory, durability, newLog = {}, traces = [], remembers = [] }: LogServiceOptions,
  lock: FolderLock,
): ThreadService {
  let database: DatabaseSync;
  const open = () => {
    // Refuses before the file is created, so that the folder stays as it was.
    if (!holdsLogFile(directory)) refuseLostLog(directory, [...remembers, ...presentOf([...traces, walOf(directory)])]);
    return (database = openForWriting(directory, durability));
  };
  const writer = new LogWriter(open, () => {
    refuseLostLog(directory, [...remembers, ...presentOf(traces)]);
    return newLog;
  });
  const announcer = announceCommits(writer.logId);
  const checkpoints = checkpointer(() => database);
  const clearing = new Clearing(writer, () => checkpoints.empty());
  return {
    handleGroup(calls) {
      const writes = calls.map(toWrite);
      const outcomes = writer.write(writes);
      const { events, characters, types } = measured(writes);
      announcer.announce(types);
      checkpoints.consider(events, characters);
      // Continues a deletion that the last stop cut off, once the seal says which there were.
      if (outcomes.some(({ kind }) => kind === 'sealed')) void clearing.run();
      return outcomes.map((outcome) => ({
        ok: true,
        value: outcome.kind === 'deleted' ? clearing.run().then(() => outcome) : toAnswer(outcome),
      }));
    },
    close() {
      clearing.close();
      checkpoints.close();
      announcer.close();
      writer.close();
      lock.release();
    },
  };
}

const toAnswer = (outcome: WriteOutcome): WriteAnswer => (outcome.kind === 'stored' ? outcome.position : outcome);

/** The events of writes: their number, characters and types. */
function measured(writes: readonly Write[]) {
  const types = new Set<string>();
  let [events, characters] = [0, 0];
  for (const write of writes)
    if (write.kind === 'append') {
      events += write.events.length / FIELDS_PER_EVENT;
      for (let at = 0; at < write.events.length; at += FIELDS_PER_EVENT) {
        types.add(write.events[at + 1]!);
        characters += write.events[at + 2]!.length + write.events[at + 3]!.length;
      }
    } else if (write.kind === 'archive') events += write.texts.length;
    else if (write.kind === 'hold') events += write.streams.length;
  return { events, characters, types };
}

function toWrite({ method, args }: ThreadCall): Write {
  if (method === 'inspect-seal' || method === 'begin-seal')
    return { kind: method, keys: args[0] as readonly Uint8Array[] };
  if (method === 'check-seal') return { kind: method };
  if (method === 'cover') return { kind: 'cover', position: args[0] as number };
  if (method === 'learn') return { kind: 'learn', texts: args[0] as readonly string[] };
  if (method === 'archive') {
    const [segment, texts] = args as [string, readonly ArchivedTexts[]];
    return { kind: 'archive', segment, texts };
  }
  if (method === 'hold') {
    const [streams, events] = args as [readonly string[], FlatEvents];
    return { kind: 'hold', streams, events };
  }
  const [stream, expected, events, inPlaceOf = []] = args as [string, number, FlatEvents, (readonly string[])?];
  if (method === 'probe') return { kind: 'probe' };
  return method === 'append' ? { kind: 'append', stream, expected, events, inPlaceOf } : { kind: 'delete', stream };
}
