import type { Env } from '../decider.js';
import { ConflictError } from '../errors.js';
import type { CommandOf } from './commands.js';
import type { DatasetEvent, LeftOut } from './events.js';
import type { DatasetVersion } from './state.js';

type ProcessingStep =
  | 'seal-version'
  | 'start-conversion'
  | 'start-validation'
  | 'interrupt-processing'
  | 'complete-version'
  | 'fail-version'
  | 'complete-merge'
  | 'abandon-version';

/** The steps of one version, each from the state before it; a completed step is not repeated. */
export function advance(
  command: CommandOf<ProcessingStep>,
  version: DatasetVersion,
  env: Env,
): readonly DatasetEvent[] {
  const { versionId } = version;
  switch (command.type) {
    case 'seal-version':
      if (version.status !== 'initialized' && version.status !== 'importing') return [];
      return [
        {
          type: 'dataset-version-sealed.v1',
          data: {
            ...{ versionId, source: command.source, sealedAt: env.now },
            ...(command.collected && { collected: command.collected }),
            ...(command.reading && { reading: command.reading }),
          },
        },
      ];
    case 'start-conversion': {
      const { attempt, worker } = command;
      if (!('attempt' in version) || version.attempt !== attempt - 1) {
        if ('worker' in version && version.attempt === attempt && version.worker === worker) return [];
        throw new ConflictError(`version ${versionId} is ${version.status}; attempt ${attempt} is not the next one`);
      }
      const started = { versionId, attempt, worker, startedAt: env.now };
      return [{ type: 'dataset-version-conversion-started.v1', data: started }];
    }
    case 'start-validation':
      if (version.status !== 'converting' || version.attempt !== command.attempt) return [];
      return [
        {
          type: 'dataset-version-validation-started.v1',
          data: { versionId, attempt: command.attempt, startedAt: env.now },
        },
      ];
    case 'interrupt-processing':
      if (!isInAttempt(version, command.attempt)) return [];
      return [
        {
          type: 'dataset-version-processing-interrupted.v1',
          data: { versionId, attempt: command.attempt, interruptedAt: env.now },
        },
      ];
    case 'complete-version': {
      if (version.status !== 'validating' || version.attempt !== command.attempt) return [];
      const { contents, object, index, leftOut } = command;
      const ready = {
        versionId,
        contents,
        object,
        ...(index && { index }),
        ...(leftOut && withReasonsApart(leftOut)),
        readyAt: env.now,
      };
      return [{ type: 'dataset-version-ready.v1', data: ready }];
    }
    case 'fail-version': {
      if (!isInAttempt(version, command.attempt)) return [];
      const { reason, rowErrors } = command;
      return [{ type: 'dataset-version-failed.v1', data: { versionId, reason, rowErrors, failedAt: env.now } }];
    }
    case 'complete-merge': {
      if (version.status !== 'merging') return [];
      const { object, index } = command;
      const ready = { versionId, contents: version.contents, object, ...(index && { index }), readyAt: env.now };
      return [{ type: 'dataset-version-ready.v1', data: ready }];
    }
    case 'abandon-version': {
      if (!['initialized', 'merging', 'importing'].includes(version.status)) return [];
      const failed = { versionId, reason: command.reason, rowErrors: null, failedAt: env.now };
      return [{ type: 'dataset-version-failed.v1', data: failed }];
    }
  }
}

/** What quotes rows is a field of its own, which is encrypted. */
const withReasonsApart = ({ reasons, ...leftOut }: LeftOut) => ({ leftOut, leftOutReasons: reasons });

const isInAttempt = (version: DatasetVersion, attempt: number): boolean =>
  (version.status === 'converting' || version.status === 'validating') && version.attempt === attempt;
