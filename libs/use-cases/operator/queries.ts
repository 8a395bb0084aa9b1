import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { operatorEmail, userIdOf } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { sentenceOf, type ChangedValue, type SettingsEvent, type SettingsOf } from '#domain/settings/index.js';
import { ForbiddenError } from '#domain/errors.js';
import { Settings } from '#settings/index.js';
import { CallerQuery } from '../commands-and-queries.js';
import { queueOf, type QueuedWork } from './queue.js';
import { RunnersHeard, type HeardRunner } from './runners-heard.js';
import { settingsInForce, type SettingInForce } from './settings-in-force.js';

/** Runners that this process heard, by name. @throws ForbiddenError */
export class GetRunners extends CallerQuery<null, readonly HeardRunner[]> {}

@QueryHandler(GetRunners)
export class GetRunnersHandler implements IQueryHandler<GetRunners> {
  constructor(
    private readonly heard: RunnersHeard,
    private readonly application: Application,
    private readonly settings: Settings,
  ) {}

  async execute({ caller }: GetRunners): Promise<readonly HeardRunner[]> {
    await requireOperator(caller, this.application, this.settings);
    return this.heard.list();
  }
}

/** @throws ForbiddenError; UnavailableError while no worker leads */
export class GetQueue extends CallerQuery<null, readonly QueuedWork[]> {}

@QueryHandler(GetQueue)
export class GetQueueHandler implements IQueryHandler<GetQueue> {
  constructor(
    private readonly application: Application,
    private readonly settings: Settings,
  ) {}

  async execute({ caller }: GetQueue): Promise<readonly QueuedWork[]> {
    await requireOperator(caller, this.application, this.settings);
    return queueOf(this.application.ports.bus);
  }
}

/** The settings of this process, without secrets. @throws ForbiddenError */
export class GetSettings extends CallerQuery<null, readonly SettingInForce[]> {}

@QueryHandler(GetSettings)
export class GetSettingsHandler implements IQueryHandler<GetSettings> {
  constructor(
    private readonly application: Application,
    private readonly settings: Settings,
  ) {}

  async execute({ caller }: GetSettings): Promise<readonly SettingInForce[]> {
    await requireOperator(caller, this.application, this.settings);
    return settingsInForce(this.settings);
  }
}

/** A recorded change of a setting, or of a file of models and providers. */
export interface RecordedChange extends ChangedValue {
  readonly of: SettingsOf;
  readonly foundAt: string;
  /** The user of the operating system who ran the process; null if unknown. */
  readonly by: string | null;
  /** For people. */
  readonly sentence: string;
}

/** The changes of the newest events, the newest first. @throws ForbiddenError */
export class GetSettingsChanges extends CallerQuery<{ readonly limit: number }, readonly RecordedChange[]> {}

@QueryHandler(GetSettingsChanges)
export class GetSettingsChangesHandler implements IQueryHandler<GetSettingsChanges> {
  constructor(
    private readonly application: Application,
    private readonly settings: Settings,
  ) {}

  async execute({ caller, input: { limit } }: GetSettingsChanges): Promise<readonly RecordedChange[]> {
    await requireOperator(caller, this.application, this.settings);
    const { eventStore } = this.application.ports;
    const filter = { categories: ['settings'] };
    const found: RecordedChange[] = [];
    for await (const { data, metadata } of eventStore.readAll({ direction: 'backwards', filter, limit })) {
      const { of, changes, foundAt } = data as SettingsEvent['data'];
      const by = metadata.by ?? null;
      found.push(...changes.map((change) => ({ ...change, of, foundAt, by, sentence: sentenceOf(change, of, by) })));
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }
}

/**
 * Admits the operator: the person whom the settings name (`ANNEAL_ADMIN_EMAIL`), else the first user, by session or by one
 * of their keys.
 * @throws ForbiddenError
 */
async function requireOperator({ userId }: Caller, application: Application, settings: Settings): Promise<void> {
  if (userId === userIdOf(await operatorEmail(application, settings))) return;
  throw new ForbiddenError(
    'only the operator may see this: sign in as the user whom ANNEAL_ADMIN_EMAIL names, or the first one',
  );
}
