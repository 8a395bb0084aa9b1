import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { TreeFiles } from '#audit/tree-files.js';
import { AUDIT_KEYS, auditKeyDecider } from '#domain/audit-key/index.js';
import { NotFoundError } from '#domain/errors.js';

export class ReadCheckpoint extends Query<string> {}

@QueryHandler(ReadCheckpoint)
export class ReadCheckpointHandler implements IQueryHandler<ReadCheckpoint> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError before the first one */
  async execute(): Promise<string> {
    const note = await new TreeFiles(this.application.ports.objectStore).checkpoint();
    if (note === null) throw new NotFoundError('checkpoint', 'newest');
    return note;
  }
}

export class ReadModelKeys extends Query<string> {}

/** Each key as PEM, the newest first: programs that take one key read the first. */
@QueryHandler(ReadModelKeys)
export class ReadModelKeysHandler implements IQueryHandler<ReadModelKeys> {
  constructor(private readonly application: Application) {}

  /** @returns nothing before the first archive */
  async execute(): Promise<string> {
    const { modelKeys } = await this.application.load(auditKeyDecider, AUDIT_KEYS);
    return modelKeys.toReversed().join('');
  }
}

export class ReadAuditKeys extends Query<string> {}

/** A line for each key, the newest last. */
@QueryHandler(ReadAuditKeys)
export class ReadAuditKeysHandler implements IQueryHandler<ReadAuditKeys> {
  constructor(private readonly application: Application) {}

  async execute(): Promise<string> {
    const { keys } = await this.application.load(auditKeyDecider, AUDIT_KEYS);
    return keys.map(({ verifier }) => `${verifier}\n`).join('');
  }
}
