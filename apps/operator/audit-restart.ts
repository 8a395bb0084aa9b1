import type { Application } from '#application/application.js';
import { originOf } from '#use-cases/audit/audit-keys.js';
import { lastSigned } from '#use-cases/audit/audit-signed.js';
import { TreeFiles } from '#audit/tree-files.js';
import { AUDIT_KEYS, auditKeyDecider } from '#domain/audit-key/index.js';
import { reasonOf, type Operations } from './operation.js';
import { operatorContext } from './operator-context.js';

/**
 * The log's audit tree: `audit.restart`.
 * @param head the signed note of a tree whose files are elsewhere; null: the one that was signed here
 */
export const auditOperations = (application: Application, head: string | null = null): Operations => ({
  /** `{reason}`: gives the tree up for another one, which the worker begins within a minute or at its next start */
  async *'audit.restart'({ reason }) {
    const given = reasonOf(reason);
    const { ports } = application;
    const [{ tree }, { logId }] = await Promise.all([
      application.load(auditKeyDecider, AUDIT_KEYS),
      ports.eventStore.head(),
    ]);
    const replaced =
      head ??
      (await lastSigned(ports.coordination, originOf(logId, tree))) ??
      (await new TreeFiles(ports.objectStore).checkpoint());
    const command = { type: 'restart-audit-tree', tree: tree + 1, reason: given, replaced } as const;
    await application.execute(auditKeyDecider, AUDIT_KEYS, command, operatorContext(null));
    yield { tree: tree + 1, reason: given, replaced };
  },
});
