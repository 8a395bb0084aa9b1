import { readFileSync } from 'node:fs';
import { publicKeyOf, type SigningCommand } from '#audit/signing.js';
import { parseWitness } from '#audit/witnesses.js';
import { isInside } from '#primitives/files/inside.js';
import { SettingsError, type Settings } from '#settings/index.js';
import type { AuditNeeds } from './led-audit.js';

/** What the settings say of the audit. @throws SettingsError */
export function auditSettings(
  settings: Settings,
): Pick<AuditNeeds, 'witnesses' | 'anchors' | 'signing' | 'trustedOrigins'> {
  const { auditWitnesses, auditCheckpoints, auditTimestamps, webhookOrigins } = settings;
  usable('ANNEAL_AUDIT_WITNESSES', () => auditWitnesses.forEach(parseWitness));
  if (auditCheckpoints?.kind === 'folder' && isInside(auditCheckpoints.directory, settings.dataDir))
    throw new SettingsError(
      'ANNEAL_AUDIT_CHECKPOINTS',
      'is in the data folder, where whoever changes the log changes them too; give a folder elsewhere, on another disk if possible',
    );
  return {
    witnesses: auditWitnesses,
    anchors: { place: auditCheckpoints, timestamps: auditTimestamps?.url ?? null },
    signing: signingOf(settings),
    trustedOrigins: webhookOrigins,
  };
}

/** Lines for the greeting of a process that keeps the audit. */
export const keptGreeting = ({ auditCheckpoints }: Settings): readonly string[] =>
  auditCheckpoints === null
    ? [
        'No checkpoint of the audit is kept outside the data folder: set ANNEAL_AUDIT_CHECKPOINTS to notice an older copy in its place.',
      ]
    : [];

function signingOf({ auditSigningCommand: command, auditSigningKey: file }: Settings): SigningCommand | null {
  if (command === null && file === null) return null;
  if (command === null) throw new SettingsError('ANNEAL_AUDIT_SIGNING_COMMAND', `is not set, but its key is; ${BOTH}`);
  if (file === null) throw new SettingsError('ANNEAL_AUDIT_SIGNING_KEY', `is not set, but the command is; ${BOTH}`);
  return usable('ANNEAL_AUDIT_SIGNING_KEY', () => {
    const publicKey = readFileSync(file, 'utf8');
    publicKeyOf(publicKey);
    return { command, publicKey };
  });
}

const BOTH = 'set both ANNEAL_AUDIT_SIGNING_COMMAND and ANNEAL_AUDIT_SIGNING_KEY';

function usable<T>(name: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw new SettingsError(name, `is not usable: ${(error as Error).message}`);
  }
}
