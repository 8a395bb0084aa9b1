import { createHash } from 'node:crypto';
import { CHECKPOINT } from '#audit/tree-files.js';
import { atOnce } from '#primitives/waiting/at-once.js';
import { BackupDamagedError, type BackedUpFile, type Backup } from './manifest.js';
import type { BackupTarget } from './target.js';

interface VerifyOptions {
  readonly target: BackupTarget;
  readonly backup: Backup;
  /** Told what is not as it was written. */
  readonly onProblem: (problem: string) => void;
  readonly onProgress?: (done: number, total: number) => void;
}

const FILES_AT_ONCE = 4;

/**
 * Reads a whole backup, and compares each file with the manifest.
 * @throws BackupDamagedError the manifest cannot be read
 */
export async function verifyBackup({ target, backup, onProblem, onProgress }: VerifyOptions): Promise<void> {
  if (target.isSigned(backup) === false) onProblem(notSigned(backup));
  const files = await target.files(backup);
  for (const needed of ['log.db', 'coordination.db'])
    if (!files.some(({ name }) => name === needed)) onProblem(`${needed} is missing from the manifest`);
  if (files.length !== backup.files)
    onProblem(`the manifest has ${files.length} files, and the backup had ${backup.files}`);
  let done = 0;
  await atOnce(files, FILES_AT_ONCE, async (file) => {
    if (file.sha256 === null) return;
    try {
      await verifyFile(target, file, backup.checkpoint, (bytes) => onProgress?.((done += bytes), backup.bytes));
    } catch (error) {
      if (!(error instanceof BackupDamagedError)) throw error;
      onProblem(error.message);
    }
  });
}

/** What is wrong with a backup that the secret does not vouch for. */
export const notSigned = ({ id, mac }: Backup): string =>
  `backup ${id} ${mac === undefined ? 'has no HMAC of this installation: an earlier release made it, or somebody else' : 'was made under another secret, or changed since: its HMAC is another'}`;

async function verifyFile(
  target: BackupTarget,
  file: BackedUpFile,
  checkpoint: string | null,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const bytes of target.content(file)) {
    hash.update(bytes);
    size += bytes.byteLength;
    onBytes(bytes.byteLength);
  }
  const sha256 = hash.digest('hex');
  if (size !== file.size || sha256 !== file.sha256)
    throw new BackupDamagedError(`${file.name} is not what was copied: its size or SHA-256 is another`);
  const isOther =
    file.name === CHECKPOINT &&
    sha256 !==
      createHash('sha256')
        .update(checkpoint ?? '')
        .digest('hex');
  if (isOther) throw new BackupDamagedError(`${file.name} is not the checkpoint that backup.json names`);
}
